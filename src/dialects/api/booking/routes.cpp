// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/booking/routes.h"

#include <array>
#include <utility>

#include "base/core/json_writer.h"
#include "base/net/http/guest_obstacle.h"
#include "dialects/api/booking/booking_json.h"
#include "dialects/api/booking/handlers.h"
#include "identity/access/entrance.h"

namespace parley::booking_rest {
namespace {

constexpr std::array<Route, 16> kRoutes = {{
    {"GET", "/health", get_health},
    {"GET", "/movies", list_movies},
    {"GET", "/movies/{id}", get_movie},
    {"GET", "/theaters", list_theaters},
    {"GET", "/theaters/movie/{movieId}", list_theaters_of_movie},
    {"GET", "/theaters/{id}", get_theater},
    {"GET", "/showings", list_showings},
    {"GET", "/showings/dates", list_dates},
    {"GET", "/showings/times", list_showings},
    {"GET", "/showings/{id}", get_showing},
    {"GET", "/seats/{showingId}", list_seats},
    {"GET", "/ticket-types", list_ticket_types},
    {"POST", "/bookings", create_booking},
    {"GET", "/bookings/{id}", get_booking},
    {"DELETE", "/bookings/{id}", cancel_booking},
    {"POST", "/datasets", create_dataset},
}};

// The error format of an HTTP framework that existing pages expect.
void answer_unknown_route(const BookingContext&, Call call) {
  const std::string path = call.request.target.substr(0, call.request.target.find('?'));
  std::string body;
  core::JsonWriter json(body);
  json.begin_object();
  json.key("message").string("Route " + call.request.method + ":" + path + " not found");
  json.key("error").string("Not Found").key("statusCode").number(404).end_object();
  send_json(call, 404, std::move(body));
}

net::Response refusal(const core::Error& error) {
  net::Response response =
      net::Response::json(core::http_status(error.code), error_json(error.message));
  if (error.code == core::Code::unauthenticated) {
    response.headers.set("WWW-Authenticate", "Bearer realm=\"parley\"");
  }
  return response;
}

void add(net::Router& router, const BookingContext& context, std::string_view method,
         std::string_view path, const std::string& base, Handler handler) {
  const access::Row& row = access::row_of(method, std::string(kBase) + std::string(path));
  std::string pattern = base + std::string(path);
  if (row.need == access::Need::nothing) {
    router.add(std::string(method), std::move(pattern),
               [&context, handler](net::Request request, net::Responder responder) {
                 handler(context, Call{std::move(request), std::move(responder)});
               });
    return;
  }
  access::add_route(
      router, row, std::move(pattern), context.verifier,
      [&context, handler](net::Request request, net::Responder responder, const auth::Identity&) {
        handler(context, Call{std::move(request), std::move(responder)});
      },
      refusal);
}

void install_below(net::Router& router, const BookingContext& context, const std::string& base) {
  for (const Route& route : kRoutes) {
    add(router, context, route.method, route.path, base, route.handler);
  }
  if (base.empty()) return;
  for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    add(router, context, method, "/*", base, answer_unknown_route);
  }
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

void install(net::Router& router, const BookingContext& context) {
  install_below(router, context, std::string(kBase));
  if (context.prefix.empty()) return;
  std::string prefix = context.prefix;
  if (prefix.front() != '/') prefix.insert(0, "/");
  while (prefix.ends_with('/')) prefix.pop_back();
  if (prefix != kBase) install_below(router, context, prefix);
}

void send_json(Call& call, int status, std::string body) {
  net::Response response = net::Response::json(status, std::move(body));
  response.headers.set("Cache-Control", "no-store");
  call.responder.send(std::move(response));
}

void send_refusal(Call& call, const booking::Refusal& refusal) {
  send_json(call, core::http_status(refusal.code), refusal_json(refusal));
}

void with_dataset(const BookingContext& context, Call call, UseDataset use) {
  const std::string name = call.request.query_param("dataset").value_or(std::string());
  core::Scheduler& scheduler = call.responder.scheduler();
  context.service.use_dataset(
      name, scheduler,
      [call = std::move(call), use = std::move(use)](
          booking::Outcome<booking::BookingService::DatasetRef> dataset) mutable {
        if (!dataset) return send_refusal(call, dataset.error());
        use(std::move(call), std::move(*dataset));
      });
}

}  // namespace parley::booking_rest
