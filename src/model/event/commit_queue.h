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

#include "base/core/scheduler.h"
#include "model/event/session_store.h"

namespace parley::event {

struct GroupLimits {
  std::size_t max_units = 1'024;         // limit of one group commit
  std::size_t max_bytes = 16U << 20U;    // limit of one group; a larger unit is a group of its own
  std::size_t max_queue = 128U << 20U;   // bytes of all units that wait
  std::chrono::microseconds gather{60};  // see CommitQueue
};

// See SessionStore::max_lost_numbers().
std::uint64_t max_lost_numbers(const GroupLimits& limits);

// The error of a unit for which the queue has no room: `resource_exhausted`.
core::Error queue_full();

// A unit or a barrier that waits for the writer thread.
struct QueuedUnit {
  UnitPtr unit;                          // null: a barrier, or a refused unit
  core::Scheduler* scheduler = nullptr;  // `done` runs on it
  SessionStore::Done<Revision> done;
  bool flowing = false;  // does not force a commit
  bool barrier = false;  // stores nothing: `done` runs on the writer thread after the group's
                         // commit
  std::optional<core::Error> refused;  // set by the queue, which had no room: nothing is stored
  std::size_t bytes = 0;
  std::chrono::steady_clock::time_point since;
};

// The queue of the writer thread. Bounded in bytes; forms the groups of units that are committed
// together. A group is due when a durable unit or a barrier waits, or when the oldest flowing unit
// has waited kFlowingDelay.
//
// Callers that commit again as soon as they are answered arrive one by one after a group is done.
// So that they form one group again, the queue waits up to `gather` for as many durable units as
// the last group had. A single caller never waits: its last group had one unit.
class CommitQueue {
 public:
  explicit CommitQueue(GroupLimits limits) : limits_(limits) {}

  enum class Push : std::uint8_t {
    queued,   // also a durable unit without room: kept as a refusal, so that answers stay in order
    dropped,  // a flowing unit without room: it is lost; `item` is unchanged
    closed,   // the queue is closed; `item` is unchanged
  };
  // Any thread.
  Push push(QueuedUnit& item);

  // Waits for the next group and returns it, in order of push(). Empty if no group is due by
  // `until` (max(): waits for ever), or if the queue is closed and empty. Only on the writer
  // thread.
  std::vector<QueuedUnit> take(std::chrono::steady_clock::time_point until);

  // push() then refuses, and take() returns the remaining units without waiting.
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
  std::size_t durable_ = 0;     // durable units and barriers in items_
  std::size_t wake_at_ = 0;     // the writer sleeps until durable_ reaches it; 0: awake
  std::size_t last_group_ = 0;  // durable units and barriers in the last group
  bool closed_ = false;
};

}  // namespace parley::event
