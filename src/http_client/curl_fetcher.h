// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <thread>

#include "core/clock.h"
#include "http_client/fetcher.h"

namespace parley::http_client {

class CurlWorker;

// Fetches with libcurl: one thread with its own epoll drives all exchanges, so that thousands of
// quiet streams cost nothing. HTTP/1.1, connections are kept for the next exchange, gzip is taken
// unless a header of the request says otherwise. On a redirect to another host the headers
// Authorization and Cookie are left out. Neither a URL's query nor a header is ever logged or told.
class CurlFetcher final : public Fetcher {
 public:
  // `clock` outlives it. Throws std::runtime_error if libcurl or the kernel refuses.
  explicit CurlFetcher(const core::Clock& clock);
  // Ends what is under way; `done` of such an exchange does not run any more.
  ~CurlFetcher() override;

  // Called on `scheduler`'s thread if `cancel` may be cancelled meanwhile. `scheduler` outlives the
  // exchange, or this.
  void fetch(FetchRequest request, FetchEvents events, core::Scheduler& scheduler,
             const core::CancelToken& cancel, Done done) override;

  // Held for a scheduler that does not keep up; then the other side waits.
  static constexpr std::size_t kHeldBytes = 1U << 20U;
  // Connections that are kept open for the next exchange.
  static constexpr long kKeptConnections = 256;

 private:
  std::shared_ptr<CurlWorker> worker_;
  std::thread thread_;
};

}  // namespace parley::http_client
