// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/net/http/http.h"
#include "base/net/http/metrics.h"
#include "base/net/loop/stream.h"
#include "base/net/websocket/websocket.h"

namespace parley::net {

// Settings of the HTTP and WebSocket server. The defaults of the program are in
// docs/configuration.md.
struct ServerOptions {
  std::size_t max_header_bytes = 16U << 10U;
  std::size_t max_target_bytes = 8U << 10U;
  std::size_t max_body_bytes = 64U << 20U;
  std::size_t max_open_body_bytes = 64U << 10U;  // for requests without an Admission
  // Limits of the bytes of incomplete requests and WebSocket messages: of all connections together,
  // of one account, and of all unknown senders.
  std::size_t max_assembling_bytes = 256U << 20U;
  std::size_t max_assembling_bytes_per_account = 128U << 20U;
  std::size_t max_assembling_bytes_unknown = 64U << 20U;
  core::Millis header_timeout{10'000};      // first byte of a head to its last
  core::Millis body_timeout{60'000};        // longest pause inside a body
  core::Millis idle_timeout{75'000};        // keep-alive between requests
  std::size_t max_pipelined = 16;           // requests read ahead on a connection
  std::size_t max_connections = 20'000;     // per server; further ones are answered 503 and closed
  std::size_t max_queue_bytes = 8U << 20U;  // send queue of one WebSocket or streamed body
  std::size_t max_queue_messages = 4'096;   // of one WebSocket
  core::Millis ping_interval{25'000};
  core::Millis pong_timeout{60'000};  // longest time without a byte from the peer
  core::Millis close_timeout{5'000};  // wait for the peer's close frame
  // Origins, beside the server's own, that may open WebSockets and read answers ("https://x.org").
  // "*" allows every page. Requests without an Origin header pass this check.
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

  // The settings of one endpoint alone.
  struct Entry {
    Network* network = nullptr;                     // null: that of the server; outlives the server
    std::vector<std::string> allowed_origins = {};  // beside those of the options
  };

  // Starts to listen on `at` with each of `schedulers` (SO_REUSEPORT) and returns the endpoint
  // with its real port. Call on any thread, before or while the loops run. May be called again
  // for another endpoint.
  core::Result<Endpoint> listen(const std::vector<core::Scheduler*>& schedulers, const Endpoint& at,
                                const Entry& entry);
  core::Result<Endpoint> listen(const std::vector<core::Scheduler*>& schedulers,
                                const Endpoint& at) {
    return listen(schedulers, at, Entry());
  }

  // Serves a connection that another node of the cluster has passed on; call on its thread. That
  // node has checked Host and Origin. `hops`: nodes that its requests have passed.
  void adopt(std::unique_ptr<Stream> stream, int hops);

  // Stops listening, closes idle connections and WebSockets (`1001 going away`, unless their
  // handlers have closed them), and finishes answers in progress. `done` runs on `scheduler` when
  // all connections are gone, or after `patience`, when the remaining ones are cut.
  void drain(core::Scheduler& scheduler, core::Millis patience, core::Task done);

  std::size_t connection_count() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace parley::net
