// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/scheduler.h"
#include "runtime/tool/tool.h"

namespace parley::tool {

// Cancellation flag; long work checks it at least every 50 ms. Copies share their state.
// Thread-safe.
class StopFlag {
 public:
  StopFlag() : wanted_(std::make_shared<std::atomic<bool>>(false)) {}
  bool stopped() const {
    return wanted_->load(std::memory_order_relaxed) ||
           (pool_ != nullptr && pool_->load(std::memory_order_relaxed));
  }
  void stop() const { wanted_->store(true, std::memory_order_relaxed); }

 private:
  friend class WorkerPool;
  std::shared_ptr<std::atomic<bool>> wanted_;
  const std::atomic<bool>* pool_ = nullptr;
};

// A few threads for blocking work: files, SQLite. An exception ends only its own task (contain.h).
// Must outlive all tools that use it. Thread-safe.
class WorkerPool {
 public:
  explicit WorkerPool(std::size_t threads = kDefaultThreads);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  // Stops running tasks, drops queued ones, and joins the threads. Not called on one of them.
  ~WorkerPool();

  // Runs `task` on one of the threads, in the order of posting. False if kMaxQueued tasks are
  // queued: then it is dropped.
  bool post(core::Task task);

  // A flag that the pool's destruction stops too. Valid while the pool lives.
  StopFlag make_flag() const;

  // Limit (Tools): threads for work on files. Reached: it waits.
  static constexpr std::size_t kDefaultThreads = 4;
  // Limit (Tools): work on files that waits. Reached: "try again later".
  static constexpr std::size_t kMaxQueued = 10'000;

 private:
  void work();
  void stop();

  std::mutex mutex_;  // guards tasks_ and closed_
  std::condition_variable changed_;
  std::deque<core::Task> tasks_;
  bool closed_ = false;
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;
};

using BlockingWork = absl::AnyInvocable<ToolResult(const StopFlag& stop)>;

// Runs `work` on the pool and posts its result to `done` on the context's scheduler. After a
// cancellation `done` is called at once if the work has not started (it will not), else as soon as
// the work has checked its flag, and after kCancelPatience in any case. An exception of `work`
// becomes an error result. Any thread. `work` must not touch the context, which belongs to the
// scheduler.
void run_blocking(WorkerPool& pool, ToolContext context, BlockingWork work, Tool::Done done);

// Result and error of a cancelled call.
ToolResult cancelled_result();
core::Error cancelled_error();

// A call ends this long after its cancellation even if the system blocks its work (a dead network
// disk).
inline constexpr core::Millis kCancelPatience{150};

}  // namespace parley::tool
