// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/http_client/curl_exchange.h"
#include "base/http_client/curl_handles.h"

namespace parley::http_client {

// The exchanges that one thread drives with one multi handle. The owner waits for the multi
// handle's sockets, calls libcurl's socket or perform function, and then collect(). One thread.
class CurlExchanges {
 public:
  using Id = std::uint64_t;

  // `clock` outlives this object.
  explicit CurlExchanges(const core::Clock& clock) : clock_(clock) {}
  CurlExchanges(const CurlExchanges&) = delete;
  CurlExchanges& operator=(const CurlExchanges&) = delete;
  ~CurlExchanges() { close_all(); }

  CURLM* multi() const { return multi_.get(); }

  // Begins an exchange under a new id. If it cannot begin, returns its end without calling the
  // sink.
  std::optional<FetchEnd> start(Id id, std::unique_ptr<CurlExchange> exchange);
  // Ends an exchange without calling its sink. Ignores an unknown id.
  void drop(Id id);
  // Closes the sinks of all exchanges.
  void close_all();
  // Resumes a paused exchange. Ignores an unknown id.
  void unpause(Id id);

  // Reports the end of all exchanges that libcurl has completed to their sinks. A sink may start
  // and drop exchanges.
  void collect();
  // Ends exchanges that have exceeded their idle timeout, and reports that to their sinks.
  void end_idle();
  // The earliest time at which end_idle() may end an exchange.
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
