// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/websocket/websocket_connection.h"

#include <utility>
#include <vector>

#include "base/core/ask.h"
#include "base/net/websocket/websocket_shard.h"
#include "base/net/websocket/websocket_socket.h"

namespace parley::net {

WebSocketService::WebSocketService(WebSocketLimits limits,
                                   std::shared_ptr<const WebSocketCounters> counters,
                                   std::function<void()> on_disconnect,
                                   std::shared_ptr<AssemblyBudget> budget)
    : shared_(std::make_shared<WebSocketShared>()) {
  shared_->limits = limits;
  shared_->counters = std::move(counters);
  shared_->on_disconnect = std::move(on_disconnect);
  shared_->budget = std::move(budget);
}

WebSocketService::~WebSocketService() = default;

void WebSocketService::adopt(std::unique_ptr<Stream> stream,
                             std::unique_ptr<WebSocketHandler> handler,
                             const WebSocketParams& params, std::string_view already_read) {
  WebSocketShard& shard = shared_->shard_of(stream->scheduler());
  const std::string& subprotocol = shared_->intern(params.subprotocol);
  WebSocketShard::List one;
  one.push_back(
      std::make_unique<ServerSocket>(std::move(stream), std::move(handler), params, subprotocol));
  shared_->count.fetch_add(1, std::memory_order_relaxed);
  ServerSocket& socket = shard.take(std::move(one));
  socket.begin(params);
  socket.start(already_read);
}

void WebSocketService::close_all(std::uint16_t code, std::string_view reason) {
  const std::scoped_lock lock(shared_->mutex);
  shared_->closing = {code, std::string(reason)};
  for (const auto& [scheduler, shard] : shared_->shards) {
    scheduler->post(core::unless_gone(std::weak_ptr(shard),
                                      [code, text = std::string(reason)](WebSocketShard& alive) {
                                        alive.close_all(code, text);
                                      }));
  }
}

std::size_t WebSocketService::count() const {
  return shared_->count.load(std::memory_order_relaxed);
}

}  // namespace parley::net
