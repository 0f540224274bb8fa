// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "base/net/http/metrics.h"

namespace parley::net {

// The gauges of one HTTP server; shared with the Metrics that read them.
struct HttpGauges {
  std::atomic<std::int64_t> connections{0};  // HTTP connections, without WebSockets
  std::atomic<std::int64_t> in_flight{0};    // requests without a complete answer

  // Decrement the gauges.
  void leave_connection();
  void leave_request();

  static std::shared_ptr<HttpGauges> make(Metrics& metrics);
};

// Counts the requests of one thread in the counters that all threads share. Caches the counters, so
// that counting takes no lock.
class HttpTally {
 public:
  explicit HttpTally(Metrics& metrics);

  // `route` must outlive this object (Router::Match::pattern); empty: no route.
  void request(std::string_view route, std::string_view method, int status);
  // `reason`: a constant such as "header_timeout", "bad_host".
  void rejected(std::string_view reason);
  void received(std::size_t bytes) { received_.add(static_cast<double>(bytes)); }
  void sent(std::size_t bytes) { sent_.add(static_cast<double>(bytes)); }

 private:
  Metrics& metrics_;
  Counter& received_;
  Counter& sent_;
  std::map<std::tuple<std::string_view, std::string_view, int>, Counter*> requests_;
};

}  // namespace parley::net
