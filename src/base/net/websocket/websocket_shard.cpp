// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/websocket/websocket_shard.h"

#include <algorithm>
#include <string>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/net/websocket/websocket_socket.h"

namespace parley::net {
namespace {

// A sweep visits every connection. At most one per second with the default time-outs.
constexpr core::Millis kLongestPeriod{1'000};
constexpr core::Millis kShortestPeriod{5};
// A larger scratch buffer is freed after use.
constexpr std::size_t kScratchKept = 1U << 20U;

core::Millis period_of(const WebSocketLimits& limits) {
  core::Millis shortest = std::min(limits.pong_timeout, limits.close_timeout);
  if (limits.ping_interval > core::Millis(0)) shortest = std::min(shortest, limits.ping_interval);
  return std::clamp(shortest / 4, kShortestPeriod, kLongestPeriod);
}

void add(Counter* counter, std::uint64_t& sum) {
  if (counter != nullptr && sum > 0) counter->add(static_cast<double>(sum));
  sum = 0;
}

}  // namespace

WebSocketShard& WebSocketShared::shard_of(core::Scheduler& scheduler) {
  const std::scoped_lock lock(mutex);
  std::shared_ptr<WebSocketShard>& shard = shards[&scheduler];
  if (!shard) shard = std::make_shared<WebSocketShard>(scheduler, *this);
  return *shard;
}

const std::string& WebSocketShared::intern(const std::string& text) {
  const std::scoped_lock lock(mutex);
  return *interned.insert(text).first;
}

WebSocketShard::WebSocketShard(core::Scheduler& scheduler, WebSocketShared& shared)
    : scheduler_(scheduler), shared_(shared), period_(period_of(shared.limits)) {}

WebSocketShard::~WebSocketShard() = default;

ServerSocket& WebSocketShard::take(List one) {
  PARLEY_ASSERT(scheduler_.in_thread(), "WebSockets: one is given to the shard of another thread");
  PARLEY_ASSERT(one.size() == 1,
                "WebSockets: " + std::to_string(one.size()) + " arrive together on a thread");
  const auto at = one.begin();
  sockets_.splice(sockets_.end(), one);
  ServerSocket& socket = **at;
  socket.settle(*this, at);
  start_timer();
  std::optional<std::pair<std::uint16_t, std::string>> closing;
  {
    const std::scoped_lock lock(shared_.mutex);
    closing = shared_.closing;
  }
  if (closing) socket.close(closing->first, closing->second);
  return socket;
}

WebSocketShard::List WebSocketShard::release(List::iterator at) {
  PARLEY_ASSERT(scheduler_.in_thread() && !sockets_.empty(),
                "WebSockets: one leaves the shard of another thread, or one that has none");
  List one;
  one.splice(one.begin(), sockets_, at);
  return one;
}

void WebSocketShard::destroy(List::iterator at) {
  PARLEY_ASSERT(scheduler_.in_thread(), "WebSockets: one of " + std::to_string(sockets_.size()) +
                                            " is destroyed by another thread");
  sockets_.erase(at);
  const std::size_t before = shared_.count.fetch_sub(1, std::memory_order_relaxed);
  PARLEY_ASSERT(before > sockets_.size(), "WebSockets: a thread keeps " +
                                              std::to_string(sockets_.size()) + " of " +
                                              std::to_string(before - 1));
  if (sockets_.empty()) pass_on_sums();
  if (shared_.on_disconnect) shared_.on_disconnect();
}

void WebSocketShard::close_all(std::uint16_t code, const std::string& reason) {
  for (const auto& socket : sockets_) socket->close(code, reason);
}

std::uint32_t WebSocketShard::ticks(core::Millis time) const {
  return static_cast<std::uint32_t>((time + period_ - core::Millis(1)) / period_);
}

DeflateCodec& WebSocketShard::codec() {
  if (!codec_) codec_ = std::make_unique<DeflateCodec>();
  return *codec_;
}

std::string& WebSocketShard::scratch() {
  if (scratch_.capacity() > kScratchKept) scratch_ = std::string();
  scratch_.clear();
  return scratch_;
}

void WebSocketShard::count_close(std::uint16_t code) {
  if (shared_.counters && shared_.counters->closed) shared_.counters->closed(code);
}

void WebSocketShard::start_timer() {
  if (timer_runs_) return;
  timer_runs_ = true;
  scheduler_.after(period_, core::unless_gone(weak_from_this(), &WebSocketShard::sweep));
}

void WebSocketShard::sweep() {
  PARLEY_ASSERT(timer_runs_,
                "WebSockets: swept by a timer that was not set, at tick " + std::to_string(tick_));
  timer_runs_ = false;
  ++tick_;
  if (scratch_.capacity() > kScratchKept) scratch_ = std::string();
  pass_on_sums();
  for (auto at = sockets_.begin(); at != sockets_.end();) {
    const auto here = at++;
    if ((*here)->sweep() == ServerSocket::Sweep::cut) destroy(here);
  }
  if (!sockets_.empty()) start_timer();
}

void WebSocketShard::pass_on_sums() {
  if (!shared_.counters) {
    sums_ = Sums{};
    return;
  }
  add(shared_.counters->messages_in, sums_.messages_in);
  add(shared_.counters->messages_out, sums_.messages_out);
  add(shared_.counters->bytes_in, sums_.bytes_in);
  add(shared_.counters->bytes_out, sums_.bytes_out);
  add(shared_.counters->slow_consumers, sums_.slow_consumers);
  add(shared_.counters->slow_messages, sums_.slow_messages);
  add(shared_.counters->no_room, sums_.no_room);
}

}  // namespace parley::net
