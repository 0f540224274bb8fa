// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <thread>

#include "base/core/clock.h"
#include "base/http_client/fetcher.h"

namespace parley::http_client {

class CurlWorker;

// Fetches with libcurl: one thread with its own epoll drives all exchanges, so that idle streams
// cost no thread. HTTP/1.1; connections are kept alive; gzip is accepted unless a header of the
// request says otherwise. A redirect to another host drops the headers Authorization and Cookie. A
// URL's query and the headers are never logged and never part of a message.
class CurlFetcher final : public Fetcher {
 public:
  // `clock` outlives this object. Throws std::runtime_error if libcurl or the kernel refuses.
  explicit CurlFetcher(const core::Clock& clock);
  // Ends all exchanges; their `done` does not run any more.
  ~CurlFetcher() override;

  // Must be called on `scheduler`'s thread if `cancel` may be cancelled meanwhile. `scheduler`
  // outlives the exchange, or this object.
  void fetch(FetchRequest request, FetchEvents events, core::Scheduler& scheduler,
             const core::CancelToken& cancel, Done done) override;

  // Bytes buffered for a scheduler that does not keep up; beyond it reading from the server pauses.
  // Limit (Models): bytes of an exchange held for a busy shard. Reached: the provider waits.
  static constexpr std::size_t kHeldBytes = 1U << 20U;
  // Idle connections kept alive for later exchanges.
  static constexpr long kKeptConnections = 256;

 private:
  std::shared_ptr<CurlWorker> worker_;
  std::thread thread_;
};

}  // namespace parley::http_client
