// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "base/core/clock.h"
#include "base/core/scheduler.h"

namespace parley::bench {

// A thread that runs posted tasks: a minimal shard. Timers never run.
class BenchScheduler final : public core::Scheduler {
 public:
  BenchScheduler() : thread_([this] { run(); }) {}
  ~BenchScheduler() override {
    post(nullptr);
    thread_.join();
  }
  void post(core::Task task) override {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(std::move(task));
    arrived_.notify_one();
  }
  core::TimerId after(core::Millis /*delay*/, core::Task /*task*/) override { return 0; }
  void cancel(core::TimerId /*timer*/) override {}
  bool in_thread() const override { return std::this_thread::get_id() == thread_.get_id(); }
  const core::Clock& clock() const override { return clock_; }

 private:
  void run() {
    std::vector<core::Task> tasks;
    while (true) {
      {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [this] { return !tasks_.empty(); });
        tasks.swap(tasks_);
      }
      for (core::Task& task : tasks) {
        if (!task) return;
        task();
      }
      tasks.clear();
    }
  }

  core::SystemClock clock_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<core::Task> tasks_;
  std::thread thread_;
};

}  // namespace parley::bench
