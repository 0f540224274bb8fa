// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/scheduler.h"
#include "base/net/http/metrics.h"
#include "base/net/loop/assembly_budget.h"
#include "base/net/loop/stream.h"
#include "base/net/websocket/websocket.h"
#include "base/net/websocket/websocket_deflate.h"

namespace parley::net {

// The limits of all WebSockets of a server; the defaults are those of ServerOptions.
struct WebSocketLimits {
  std::size_t max_queue_bytes = 8U << 20U;  // excluding one larger message (SendLimit)
  std::size_t max_queue_messages = 4'096;
  core::Millis ping_interval{25'000};  // 0: no pings
  core::Millis pong_timeout{60'000};   // longest time without a byte from the peer
  core::Millis close_timeout{5'000};   // from the server's close frame to the peer's
};

// The outcome of the opening handshake of one WebSocket.
struct WebSocketParams {
  std::size_t max_message_bytes = 16U << 20U;
  std::size_t max_open_message_bytes = 64U << 10U;  // until the sender is known
  // The account to whose budget messages count; std::nullopt: the sender is not known yet.
  std::optional<std::string> account = std::string();
  std::optional<DeflateParams> deflate = {};
  std::string subprotocol = {};
};

// Counters of WebSockets, made once from a Metrics. A null member does not count. Each thread keeps
// its own sums and adds them about once a second.
struct WebSocketCounters {
  static std::shared_ptr<const WebSocketCounters> of(Metrics& metrics);

  Counter* messages_in = nullptr;
  Counter* messages_out = nullptr;
  Counter* bytes_in = nullptr;
  Counter* bytes_out = nullptr;
  Counter* slow_consumers = nullptr;
  Counter* slow_messages = nullptr;  // connections cut because the rest of a message did not arrive
  Counter* no_room = nullptr;        // connections cut because the budget of messages was exhausted
  // Counts a closed connection by its close code; kAbnormal if there was no close frame.
  std::function<void(std::uint16_t code)> closed;
};

struct WebSocketShared;

// Owns the WebSockets of a server, on all its threads, from the end of the opening handshake until
// the connection is gone. One timer per thread handles the pings and time-outs of all, so an idle
// connection owns no timer and no buffer. Destroy it when no scheduler runs its connections any
// more; open connections are then cut without on_close().
class WebSocketService {
 public:
  // `on_disconnect` (may be null) runs on the connection's thread after each destroyed connection.
  // `budget`: for incomplete messages; null: no limit.
  explicit WebSocketService(WebSocketLimits limits,
                            std::shared_ptr<const WebSocketCounters> counters = nullptr,
                            std::function<void()> on_disconnect = nullptr,
                            std::shared_ptr<AssemblyBudget> budget = nullptr);
  ~WebSocketService();
  WebSocketService(const WebSocketService&) = delete;
  WebSocketService& operator=(const WebSocketService&) = delete;

  // Takes over a stream after the 101 answer was written to it. Call on the stream's thread, as the
  // last act of a stream handler's call. The stream's handler is replaced; on_open() runs before
  // this returns, then `already_read` (bytes behind the request's head) is delivered.
  void adopt(std::unique_ptr<Stream> stream, std::unique_ptr<WebSocketHandler> handler,
             const WebSocketParams& params, std::string_view already_read = {});

  // Starts the closing handshake with every open WebSocket. Any thread.
  void close_all(std::uint16_t code, std::string_view reason);

  // Number of existing WebSockets. Any thread.
  std::size_t count() const;

 private:
  std::shared_ptr<WebSocketShared> shared_;
};

}  // namespace parley::net
