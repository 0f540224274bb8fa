// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/core/scheduler.h"

namespace parley::tool {

// A scheduler that a test runs on its own thread until a condition holds: for tests with real
// processes, whose events come from other threads.
class TestScheduler final : public core::Scheduler {
 public:
  void post(core::Task task) override {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(std::move(task));
    news_.notify_one();
  }
  core::TimerId after(core::Millis delay, core::Task task) override {
    const core::TimerId id = ++last_timer_;
    timers_.emplace(std::pair(clock_.mono() + delay, id), std::move(task));
    return id;
  }
  void cancel(core::TimerId timer) override {
    std::erase_if(timers_, [timer](const auto& entry) { return entry.first.second == timer; });
  }
  bool in_thread() const override { return std::this_thread::get_id() == thread_; }
  const core::Clock& clock() const override { return clock_; }

  // Number of posted tasks that have not run.
  std::size_t waiting() {
    const std::scoped_lock lock(mutex_);
    return tasks_.size();
  }

  // Runs tasks and timers until `reached` holds; false after `patience`.
  template <typename Reached>
  bool run_until(Reached reached, core::Millis patience = std::chrono::minutes(2)) {
    const core::MonoTime end = clock_.mono() + patience;
    while (!reached()) {
      if (clock_.mono() >= end) return false;
      if (!run_one(end)) continue;
    }
    return true;
  }

 private:
  bool run_one(core::MonoTime end) {
    core::Task task;
    {
      std::unique_lock lock(mutex_);
      core::MonoTime until = end;
      if (!timers_.empty() && timers_.begin()->first.first < until) {
        until = timers_.begin()->first.first;
      }
      news_.wait_until(lock, until, [this] { return !tasks_.empty(); });
      if (!tasks_.empty()) {
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
    }
    if (!task && !timers_.empty() && timers_.begin()->first.first <= clock_.mono()) {
      task = std::move(timers_.extract(timers_.begin()).mapped());
    }
    if (!task) return false;
    task();
    return true;
  }

  core::SystemClock clock_;
  const std::thread::id thread_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<core::Task> tasks_;
  std::map<std::pair<core::MonoTime, core::TimerId>, core::Task> timers_;
  core::TimerId last_timer_ = 0;
};

}  // namespace parley::tool
