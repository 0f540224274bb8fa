// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/core/clock.h"
#include "base/core/scheduler.h"
#include "give_up.h"
#include "model/event/session_store.h"

namespace parley::bench {

inline constexpr std::size_t kMaxWriters = 512;
inline constexpr std::size_t kPayloadBytes = 400;

inline std::string session_name(std::size_t writer) { return "session-" + std::to_string(writer); }

inline event::Event next_event(std::size_t writer, std::uint64_t seq, core::WallTime at) {
  static const std::string payload = "{\"text\":\"" + std::string(kPayloadBytes - 11, 'x') + "\"}";
  return {session_name(writer), seq, at, "in", "message", payload};
}

// The writers: each commits one event, and the next one once that is acknowledged.
class Writers {
 public:
  Writers(event::SessionStore& store, core::Scheduler& scheduler)
      : store_(store), scheduler_(scheduler), epoch_(store.home_epoch("")), next_(kMaxWriters, 1) {}

  // Acknowledged events per second during `time`, of `count` writers.
  double run(std::size_t count, std::chrono::milliseconds time) {
    const auto begin = std::chrono::steady_clock::now();
    end_ = begin + time;
    acknowledged_ = 0;
    running_ = count;
    scheduler_.post([this, count] {
      for (std::size_t writer = 0; writer < count; ++writer) commit(writer);
    });
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return running_ == 0; });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return static_cast<double>(acknowledged_) / took.count();
  }

 private:
  void commit(std::size_t writer) {
    event::Unit unit;
    const std::uint64_t seq = next_[writer]++;
    if (seq == 1) {
      unit.session = event::SessionRow{session_name(writer), "assistant", "owner", "", {}, 0, 1};
    }
    unit.events.push_back(next_event(writer, seq, scheduler_.clock().wall()));
    unit.home_epoch = epoch_;
    store_.commit(std::move(unit), scheduler_,
                  [this, writer](const core::Result<event::Revision>& done) {
                    if (!done) give_up(done.error().message);
                    ++acknowledged_;
                    if (std::chrono::steady_clock::now() < end_) {
                      commit(writer);
                      return;
                    }
                    const std::scoped_lock lock(mutex_);
                    if (--running_ == 0) finished_.notify_one();
                  });
  }

  event::SessionStore& store_;
  core::Scheduler& scheduler_;
  const event::HomeEpoch epoch_;
  std::vector<std::uint64_t> next_;
  std::chrono::steady_clock::time_point end_;
  std::uint64_t acknowledged_ = 0;  // used by the scheduler's thread while running
  std::mutex mutex_;
  std::condition_variable finished_;
  std::size_t running_ = 0;
};

}  // namespace parley::bench
