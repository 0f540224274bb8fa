// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "http_client/curl_exchange.h"
#include "http_client/curl_handles.h"

namespace parley::http_client {

// The exchanges that one thread drives with one multi handle. The owner waits for the multi
// handle's sockets in its own way, lets libcurl act, and then calls collect(). One thread.
class CurlExchanges {
 public:
  using Id = std::uint64_t;

  // `clock` outlives it.
  explicit CurlExchanges(const core::Clock& clock) : clock_(clock) {}
  CurlExchanges(const CurlExchanges&) = delete;
  CurlExchanges& operator=(const CurlExchanges&) = delete;
  ~CurlExchanges() { close_all(); }

  CURLM* multi() const { return multi_.get(); }

  // Begins an exchange under an id that is new. Returns the end of one that cannot begin, without
  // telling its sink.
  std::optional<FetchEnd> start(Id id, std::unique_ptr<CurlExchange> exchange);
  // Ends an exchange without telling its sink. Ignores an id that is not under way.
  void drop(Id id);
  // Closes the sinks of all exchanges.
  void close_all();
  // Goes on with a paused exchange. Ignores an id that is not under way.
  void unpause(Id id);

  // Tells the sinks of all exchanges that libcurl has ended. A sink may start and drop exchanges.
  void collect();
  // Ends exchanges that have been idle for too long, and tells their sinks.
  void end_idle();
  // The earliest time at which end_idle() may have something to end.
  std::optional<core::MonoTime> next_idle() const;

 private:
  using Exchanges = std::map<Id, std::unique_ptr<CurlExchange>>;

  std::unique_ptr<CurlExchange> take(Exchanges::iterator exchange);

  const core::Clock& clock_;
  CurlMulti multi_;
  Exchanges exchanges_;
  std::map<const CURL*, Id> ids_;
  std::set<std::pair<core::MonoTime, Id>> idle_;
};

}  // namespace parley::http_client
