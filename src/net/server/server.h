// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/entropy.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "net/http/http.h"
#include "net/http/metrics.h"
#include "net/loop/stream.h"
#include "net/websocket/websocket.h"

namespace parley::net {

// Settings of the HTTP and WebSocket server; docs/limits.md says what each is for.
struct ServerOptions {
  std::size_t max_header_bytes = 16U << 10U;
  std::size_t max_target_bytes = 8U << 10U;
  std::size_t max_body_bytes = 64U << 20U;
  std::size_t max_open_body_bytes = 64U << 10U;  // of a request that no route admitted
  // Bytes of requests and WebSocket messages that are not complete, of all connections together,
  // of those that count to one account, and of those whose sender is not known.
  std::size_t max_assembling_bytes = 256U << 20U;
  std::size_t max_assembling_bytes_per_account = 128U << 20U;
  std::size_t max_assembling_bytes_unknown = 64U << 20U;
  core::Millis header_timeout{10'000};      // first byte of a head to its last
  core::Millis body_timeout{60'000};        // longest pause inside a body
  core::Millis idle_timeout{75'000};        // keep-alive between requests
  std::size_t max_pipelined = 16;           // requests read ahead on a connection
  std::size_t max_connections = 20'000;     // per server; more are answered 503 and closed
  std::size_t max_queue_bytes = 8U << 20U;  // send queue of one WebSocket or streamed body
  std::size_t max_queue_messages = 4'096;   // of one WebSocket
  core::Millis ping_interval{25'000};
  core::Millis pong_timeout{60'000};  // no byte at all for this long: gone
  core::Millis close_timeout{5'000};  // wait for the peer's close frame
  // Origins that may open WebSockets and read answers, beside the server's own ("https://x.org").
  // Requests without an Origin header are no browser's and pass. "*" lets every page in.
  std::vector<std::string> allowed_origins;
  bool log_requests = true;
};

// One HTTP server over all shards: each scheduler listens and serves the connections that it
// accepted, until a handler moves a WebSocket. Handles: keep-alive, pipelining, HEAD, OPTIONS and
// CORS for allowed origins, Origin checks, request ids, security headers, limits, upgrade to
// WebSocket, streamed bodies, gzip of answers (a handler may set Content-Encoding itself).
class Server {
 public:
  Server(Network& network, Router router, ServerOptions options, Metrics& metrics,
         core::Entropy& entropy);
  ~Server();

  // Starts to listen on `at` with each of `schedulers` (SO_REUSEPORT) and returns the endpoint
  // with its real port. Call on any thread, before or while the loops run. May be called again
  // for another endpoint.
  core::Result<Endpoint> listen(const std::vector<core::Scheduler*>& schedulers,
                                const Endpoint& at);

  // No new connections; idle ones are closed; WebSockets get `1001 going away` unless their
  // handlers have closed them; answers in progress are finished. `done` runs on `scheduler` when
  // all connections are gone or after `patience`, when the rest is cut.
  void drain(core::Scheduler& scheduler, core::Millis patience, core::Task done);

  std::size_t connection_count() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace parley::net
