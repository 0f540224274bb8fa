// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/worker.h"

#include <algorithm>

#include "base/core/contain.h"

namespace parley::core {

Worker::Worker(const Clock& clock) : clock_(clock), thread_([this] { run(); }) {}

Worker::~Worker() { stop(); }

bool Worker::try_post(Task& task) {
  {
    const std::scoped_lock lock(mutex_);
    if (ended_) return false;
    tasks_.push_back(std::move(task));
  }
  arrived_.notify_one();
  return true;
}

TimerId Worker::after(Millis delay, Task task) {
  const TimerId id = ++last_timer_;
  timers_.emplace(TimerKey(clock_.mono() + std::max(delay, Millis(0)), id), std::move(task));
  return id;
}

void Worker::cancel(TimerId timer) {
  const auto it = std::find_if(timers_.begin(), timers_.end(),
                               [timer](const auto& entry) { return entry.first.second == timer; });
  if (it != timers_.end()) timers_.erase(it);
}

void Worker::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  arrived_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Worker::run() {
  while (true) {
    std::deque<Task> ready;
    {
      std::unique_lock lock(mutex_);
      const auto wake = [this] { return stopping_ || !tasks_.empty(); };
      if (timers_.empty()) {
        arrived_.wait(lock, wake);
      } else {
        const auto left = timers_.begin()->first.first - clock_.mono();
        arrived_.wait_for(lock, std::max(left, MonoTime::duration::zero()), wake);
      }
      ended_ = stopping_ && tasks_.empty();
      if (ended_) return;
      ready.swap(tasks_);
    }
    for (Task& task : ready) static_cast<void>(contain("worker", task));
    run_due_timers();
  }
}

void Worker::run_due_timers() {
  while (!timers_.empty() && timers_.begin()->first.first <= clock_.mono()) {
    Task task = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    static_cast<void>(contain("worker", task));
  }
}

}  // namespace parley::core
