// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "core/scheduler.h"
#include "event/session_store.h"

namespace parley::event {

struct GroupLimits {
  std::size_t max_units = 1'024;         // of one group commit
  std::size_t max_bytes = 16U << 20U;    // one larger unit is a group of its own
  std::size_t max_queue = 128U << 20U;   // bytes that wait, all sessions together
  std::chrono::microseconds gather{60};  // see CommitQueue
};

// See SessionStore::max_lost_numbers().
std::uint64_t max_lost_numbers(const GroupLimits& limits);

// Why a unit that finds no room is refused.
core::Error queue_full();

// What waits for its commit.
struct QueuedUnit {
  UnitPtr unit;                          // null for a barrier, and for a unit that was refused
  core::Scheduler* scheduler = nullptr;  // of `done`
  SessionStore::Done<Revision> done;
  bool flowing = false;  // forces no commit
  bool barrier = false;  // nothing to store: `done` runs on the writer's thread after its group
  std::optional<core::Error>
      refused;  // set by the queue: the unit is empty and is not to be stored
  std::size_t bytes = 0;
  std::chrono::steady_clock::time_point since;
};

// The queue before the writer thread: bounded in bytes, and the one that forms groups. A group is
// taken when something durable waits, or when the oldest flowing unit has waited kFlowingDelay.
//
// Callers that commit again as soon as they are answered arrive one by one just after a group is
// done. So that they form one group again, not two, the queue waits up to `gather` for as many as
// the last group had. A lone caller never waits: its last group had one unit.
class CommitQueue {
 public:
  explicit CommitQueue(GroupLimits limits) : limits_(limits) {}

  enum class Push : std::uint8_t {
    queued,   // also a unit that found no room: kept as a refusal, so that its caller hears in turn
    dropped,  // a flowing unit that found no room: it is lost, and `item` as it was
    closed,   // `item` is as it was
  };
  // Any thread.
  Push push(QueuedUnit& item);

  // The next group, in order of push(). Empty when nothing is due by `until` (max(): wait for
  // ever), or when the queue is closed and empty. Only the writer thread.
  std::vector<QueuedUnit> take(std::chrono::steady_clock::time_point until);

  // Nothing more comes in; take() gives what is left at once.
  void close();

  bool drained() const;
  std::size_t waiting_bytes() const;

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Lock = std::unique_lock<std::mutex>;

  bool due(TimePoint now) const;
  bool wait_until_due(Lock& lock, TimePoint until);
  void gather(Lock& lock);
  std::vector<QueuedUnit> take_group();

  const GroupLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<QueuedUnit> items_;
  std::size_t bytes_ = 0;
  std::size_t durable_ = 0;     // of items_
  std::size_t wake_at_ = 0;     // the writer sleeps until this many durable ones are here; 0: awake
  std::size_t last_group_ = 0;  // durable units in it
  bool closed_ = false;
};

}  // namespace parley::event
