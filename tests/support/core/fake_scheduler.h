// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "base/core/scheduler.h"

namespace parley::core {

// A clock for tests that changes only by advance() and set_wall(). May be read on any thread.
class FakeClock final : public Clock {
 public:
  WallTime wall() const override { return wall_; }
  MonoTime mono() const override { return mono_; }
  void advance(Millis by) {
    wall_ = wall_.load() + by;
    mono_ = mono_.load() + by;
  }
  // Sets the wall clock alone, as an administrator or NTP might.
  void set_wall(WallTime at) { wall_ = at; }

 private:
  std::atomic<WallTime> wall_ = from_unix_ms(1'700'000'000'000);
  std::atomic<MonoTime> mono_ = MonoTime(std::chrono::hours(1));
};

// A scheduler that a test or a simulation runs by hand on its own thread. post() may be called from
// any thread; all other calls belong to the thread of the test.
class FakeScheduler final : public Scheduler {
 public:
  explicit FakeScheduler(FakeClock& clock) : clock_(clock) {}

  void post(Task task) override {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  TimerId after(Millis delay, Task task) override {
    const TimerId id = ++last_timer_;
    const Millis wait = delay < Millis(0) ? Millis(0) : delay;
    timers_.emplace(std::pair(clock_.mono() + wait, id), std::move(task));
    return id;
  }
  void cancel(TimerId timer) override {
    for (auto it = timers_.begin(); it != timers_.end(); ++it) {
      if (it->first.second == timer) {
        timers_.erase(it);
        return;
      }
    }
  }
  bool in_thread() const override { return true; }
  const Clock& clock() const override { return clock_; }

  // Runs all tasks and timers that are due now, also those that they post. Returns the number of
  // tasks run.
  std::size_t run_ready() {
    std::size_t count = 0;
    while (run_one()) ++count;
    return count;
  }

  // Runs posted tasks and those that they post, and no timers: turns of a loop that has not looked
  // at its sockets.
  void run_posted() {
    while (run_task()) continue;
  }

  // Advances the clock from timer to timer and runs the due tasks at each step.
  void advance(Millis by) {
    const MonoTime end = clock_.mono() + by;
    run_ready();
    while (!timers_.empty() && timers_.begin()->first.first <= end) {
      const auto gap = timers_.begin()->first.first - clock_.mono();
      clock_.advance(std::chrono::ceil<Millis>(gap));
      run_ready();
    }
    if (clock_.mono() < end) clock_.advance(std::chrono::ceil<Millis>(end - clock_.mono()));
    run_ready();
  }

  // Drops all waiting tasks and timers, as the end of a process does.
  void drop_all() {
    std::deque<Task> tasks;
    {
      const std::scoped_lock lock(mutex_);
      tasks.swap(tasks_);
    }
    timers_.clear();
  }

  std::size_t timers() const { return timers_.size(); }

  // Runs the next task or timer that is due; false: there is none.
  bool run_one() {
    if (run_task()) return true;
    if (timers_.empty() || timers_.begin()->first.first > clock_.mono()) return false;
    Task timer = std::move(timers_.extract(timers_.begin()).mapped());
    timer();
    return true;
  }

 private:
  bool run_task() {
    Task task;
    {
      const std::scoped_lock lock(mutex_);
      if (tasks_.empty()) return false;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
    return true;
  }

  FakeClock& clock_;
  std::mutex mutex_;
  std::deque<Task> tasks_;
  std::map<std::pair<MonoTime, TimerId>, Task> timers_;
  TimerId last_timer_ = 0;
};

}  // namespace parley::core
