// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/server/http_tally.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/core/assert.h"

namespace parley::net {
namespace {

// Clients may send any method: unknown ones are one label, so that the number of labels is bounded.
std::string_view known_method(std::string_view method) {
  static constexpr std::array<std::string_view, 7> kMethods = {"GET",   "HEAD",   "POST",   "PUT",
                                                               "PATCH", "DELETE", "OPTIONS"};
  const auto* const found = std::find(kMethods.begin(), kMethods.end(), method);
  return found == kMethods.end() ? std::string_view("other") : *found;
}

}  // namespace

void HttpGauges::leave_connection() {
  const std::int64_t before = connections.fetch_sub(1);
  PARLEY_ASSERT(before > 0,
                "HTTP server: one of " + std::to_string(before) + " connections is gone");
}

void HttpGauges::leave_request() {
  const std::int64_t before = in_flight.fetch_sub(1);
  PARLEY_ASSERT(before > 0,
                "HTTP server: one of " + std::to_string(before) + " requests is answered");
}

std::shared_ptr<HttpGauges> HttpGauges::make(Metrics& metrics) {
  auto gauges = std::make_shared<HttpGauges>();
  metrics.gauge("parley_http_connections", "Open HTTP connections, WebSockets not counted.",
                [gauges] { return static_cast<double>(gauges->connections.load()); });
  metrics.gauge("parley_http_requests_in_flight", "Requests whose response is not complete.",
                [gauges] { return static_cast<double>(gauges->in_flight.load()); });
  return gauges;
}

HttpTally::HttpTally(Metrics& metrics)
    : metrics_(metrics),
      received_(
          metrics.counter("parley_http_received_bytes_total", "Bytes read from HTTP connections.")),
      sent_(metrics.counter("parley_http_sent_bytes_total",
                            "Bytes written to HTTP connections, heads included.")) {}

void HttpTally::request(std::string_view route, std::string_view method, int status) {
  method = known_method(method);
  Counter*& counter = requests_[{route, method, status}];
  if (counter == nullptr) {
    counter = &metrics_.counter("parley_http_requests_total",
                                "Answered requests by route, method and status.",
                                {{"route", route.empty() ? "none" : std::string(route)},
                                 {"method", std::string(method)},
                                 {"status", std::to_string(status)}});
  }
  counter->add();
}

void HttpTally::rejected(std::string_view reason) {
  metrics_
      .counter("parley_http_rejected_total", "Refused requests and connections, by reason.",
               {{"reason", std::string(reason)}})
      .add();
}

}  // namespace parley::net
