// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/core/scheduler.h"

namespace parley::core {

// A thread for work that may wait for the disk, so that no shard waits. An exception ends only the
// task that threw it (contain.h).
class Worker final : public Scheduler {
 public:
  // `clock` outlives this.
  explicit Worker(const Clock& clock);
  ~Worker() override;  // stop()

  void post(Task task) override { (void)try_post(task); }
  // As post(). False: the thread has ended, and the caller still owns the task.
  bool try_post(Task& task);
  TimerId after(Millis delay, Task task) override;
  void cancel(TimerId timer) override;
  bool in_thread() const override { return std::this_thread::get_id() == thread_.get_id(); }
  const Clock& clock() const override { return clock_; }

  // Runs all posted tasks, and those that they post, then ends the thread. Waiting timers are
  // dropped. Any thread but its own.
  void stop();

 private:
  using TimerKey = std::pair<MonoTime, TimerId>;

  void run();
  void run_due_timers();

  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Task> tasks_;
  bool stopping_ = false;
  bool ended_ = false;  // true: post() destroys its task, try_post() returns false
  // Used by the worker's thread alone.
  std::map<TimerKey, Task> timers_;
  TimerId last_timer_ = 0;
  std::thread thread_;  // declared last: uses the other members
};

}  // namespace parley::core
