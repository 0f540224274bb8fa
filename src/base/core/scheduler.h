// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "absl/functional/any_invocable.h"
#include "base/core/clock.h"

namespace parley::core {

using Task = absl::AnyInvocable<void()>;

// Names a pending timer. 0 is never a timer.
using TimerId = std::uint64_t;

// One thread that runs tasks and timers: the seam between the domain and the event loop.
// The domain code of a shard runs only on its scheduler's thread. `net::Loop` implements it for the
// server, `core::FakeScheduler` for tests.
class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  virtual ~Scheduler() = default;

  // Runs `task` later on this scheduler's thread, in the order of posting. Any thread.
  // Tasks posted after the scheduler stopped are destroyed without running.
  virtual void post(Task task) = 0;

  // Runs `task` once, not earlier than `delay` from now (a negative delay counts as 0).
  // Only on this scheduler's thread.
  virtual TimerId after(Millis delay, Task task) = 0;

  // Cancels a timer. A no-op for 0 and for a timer that has run. Only on this scheduler's thread.
  virtual void cancel(TimerId timer) = 0;

  virtual bool in_thread() const = 0;
  virtual const Clock& clock() const = 0;
};

}  // namespace parley::core
