// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/core/scheduler.h"
#include "base/net/websocket/websocket_connection.h"
#include "base/net/websocket/websocket_deflate.h"

// The bookkeeping of WebSocketService. Only net includes this.
namespace parley::net {

class ServerSocket;
class WebSocketShard;

// State shared by all threads.
struct WebSocketShared {
  WebSocketLimits limits;
  std::shared_ptr<const WebSocketCounters> counters;  // may be null
  std::function<void()> on_disconnect;                // may be null
  std::shared_ptr<AssemblyBudget> budget;             // may be null
  std::atomic<std::size_t> count{0};

  // The shard of this service on `scheduler`, created on first use. Any thread.
  WebSocketShard& shard_of(core::Scheduler& scheduler);
  // A copy of `text` that is valid as long as this object.
  const std::string& intern(const std::string& text);

  std::mutex mutex;
  std::map<core::Scheduler*, std::shared_ptr<WebSocketShard>> shards;  // guarded by mutex
  std::set<std::string> interned;                                      // guarded by mutex
  // Set by close_all(): connections that arrive on a thread later are closed in the same way.
  // Guarded by mutex.
  std::optional<std::pair<std::uint16_t, std::string>> closing;
};

// The WebSockets of one thread, the timer that sweeps them, and their shared buffers.
class WebSocketShard : public std::enable_shared_from_this<WebSocketShard> {
 public:
  using List = std::list<std::unique_ptr<ServerSocket>>;

  WebSocketShard(core::Scheduler& scheduler, WebSocketShared& shared);
  ~WebSocketShard();
  WebSocketShard(const WebSocketShard&) = delete;
  WebSocketShard& operator=(const WebSocketShard&) = delete;

  // Adds a connection; `one` has exactly one element.
  ServerSocket& take(List one);
  // Removes a connection from the list, to be moved.
  List release(List::iterator at);
  void destroy(List::iterator at);
  void close_all(std::uint16_t code, const std::string& reason);

  core::Scheduler& scheduler() { return scheduler_; }
  WebSocketShared& shared() { return shared_; }
  const WebSocketLimits& limits() const { return shared_.limits; }
  // The number of sweeps so far: a clock that is cheap to read.
  std::uint32_t tick() const { return tick_; }
  // The number of sweeps that take at least `time`.
  std::uint32_t ticks(core::Millis time) const;

  DeflateCodec& codec();
  // An empty buffer, valid until the next call of scratch().
  std::string& scratch();

  struct Sums {
    std::uint64_t messages_in = 0;
    std::uint64_t messages_out = 0;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::uint64_t slow_consumers = 0;
    std::uint64_t slow_messages = 0;
    std::uint64_t no_room = 0;
  };
  Sums& sums() { return sums_; }
  void count_close(std::uint16_t code);

 private:
  void sweep();
  void start_timer();
  void pass_on_sums();

  core::Scheduler& scheduler_;
  WebSocketShared& shared_;
  core::Millis period_;
  List sockets_;
  std::uint32_t tick_ = 0;
  bool timer_runs_ = false;
  std::unique_ptr<DeflateCodec> codec_;
  std::string scratch_;
  Sums sums_;
};

}  // namespace parley::net
