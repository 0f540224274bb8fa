// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/booking/booking_json.h"
#include "dialects/api/booking/handlers.h"

namespace parley::booking_rest {
namespace {

using booking::Dataset;

// Makes an answer that depends on the data set and the request only.
using Answer = booking::Outcome<std::string> (*)(const Dataset&, const net::Request&);

void answer_with(const BookingContext& context, Call call, Answer answer) {
  with_dataset(context, std::move(call),
               [answer](Call found, const booking::BookingService::DatasetRef& dataset) {
                 auto body = answer(*dataset, found.request);
                 if (!body) return send_refusal(found, body.error());
                 send_json(found, 200, std::move(*body));
               });
}

tl::unexpected<booking::Refusal> not_found(std::string message) {
  return booking::refuse(core::Code::not_found, std::move(message));
}

booking::ShowingFilter filter_of(const net::Request& request) {
  const auto text = [&request](std::string_view name) {
    return request.query_param(name).value_or(std::string());
  };
  return {text("movieId"), text("theaterId"), text("date")};
}

}  // namespace

void get_health(const BookingContext&, Call call) { send_json(call, 200, R"({"status":"ok"})"); }

void list_movies(const BookingContext& context, Call call) {
  answer_with(context, std::move(call),
              [](const Dataset& data, const net::Request&) -> booking::Outcome<std::string> {
                return movies_json(data.catalogue().movies);
              });
}

void get_movie(const BookingContext& context, Call call) {
  answer_with(context, std::move(call),
              [](const Dataset& data, const net::Request& in) -> booking::Outcome<std::string> {
                const booking::Movie* movie = data.movie(in.path_param("id"));
                if (movie == nullptr) return not_found("Movie not found");
                return movie_json(*movie);
              });
}

void list_theaters(const BookingContext& context, Call call) {
  answer_with(context, std::move(call),
              [](const Dataset& data, const net::Request&) -> booking::Outcome<std::string> {
                std::vector<const booking::Theater*> all;
                for (const booking::Theater& one : data.catalogue().theaters) all.push_back(&one);
                return theaters_json(all);
              });
}

void list_theaters_of_movie(const BookingContext& context, Call call) {
  answer_with(context, std::move(call),
              [](const Dataset& data, const net::Request& in) -> booking::Outcome<std::string> {
                return theaters_json(data.theaters_of(in.path_param("movieId")));
              });
}

void get_theater(const BookingContext& context, Call call) {
  answer_with(context, std::move(call),
              [](const Dataset& data, const net::Request& in) -> booking::Outcome<std::string> {
                const booking::Theater* theater = data.theater(in.path_param("id"));
                if (theater == nullptr) return not_found("Theater not found");
                return theater_json(*theater);
              });
}

void list_showings(const BookingContext& context, Call call) {
  answer_with(context, std::move(call),
              [](const Dataset& data, const net::Request& in) -> booking::Outcome<std::string> {
                return showings_json(data, data.find_showings(filter_of(in)));
              });
}

void list_dates(const BookingContext& context, Call call) {
  answer_with(context, std::move(call),
              [](const Dataset& data, const net::Request& in) -> booking::Outcome<std::string> {
                booking::ShowingFilter filter = filter_of(in);
                filter.date.clear();
                return dates_json(data.find_days(filter));
              });
}

void get_showing(const BookingContext& context, Call call) {
  answer_with(context, std::move(call),
              [](const Dataset& data, const net::Request& in) -> booking::Outcome<std::string> {
                const booking::Showing* showing = data.showing(in.path_param("id"));
                if (showing == nullptr) return not_found("Showing not found");
                return showing_json(data, *showing);
              });
}

void list_seats(const BookingContext& context, Call call) {
  answer_with(context, std::move(call),
              [](const Dataset& data, const net::Request& in) -> booking::Outcome<std::string> {
                const booking::Showing* showing = data.showing(in.path_param("showingId"));
                if (showing == nullptr) {
                  return not_found("Showing not found or no seats available");
                }
                return seats_json(data, *showing);
              });
}

void list_ticket_types(const BookingContext& context, Call call) {
  answer_with(context, std::move(call),
              [](const Dataset& data, const net::Request&) -> booking::Outcome<std::string> {
                return ticket_types_json(data.catalogue().ticket_types);
              });
}

}  // namespace parley::booking_rest
