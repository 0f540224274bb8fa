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
#include "core/scheduler.h"
#include "runtime/tool/tool.h"

namespace parley::tool {

// Asked by work that may take long, at least every 50 ms: whether nobody wants it any more. Copies
// are one. Thread-safe.
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

// A few threads for work that blocks: files, SQLite. A task that throws ends alone (contain.h).
// Outlives all tools that use it. Thread-safe.
class WorkerPool {
 public:
  explicit WorkerPool(std::size_t threads = kDefaultThreads);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  // Stops what runs, drops what waits, and waits for the threads. Not on one of them.
  ~WorkerPool();

  // Runs `task` on one of the threads, in the order of posting. False if kMaxQueued wait already:
  // then it is dropped.
  bool post(core::Task task);

  // A flag that is stopped with the pool as well. Valid while the pool lives.
  StopFlag make_flag() const;

  static constexpr std::size_t kDefaultThreads = 4;
  static constexpr std::size_t kMaxQueued = 10'000;

 private:
  void work();

  std::mutex mutex_;  // guards tasks_ and closed_
  std::condition_variable changed_;
  std::deque<core::Task> tasks_;
  bool closed_ = false;
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;
};

using BlockingWork = absl::AnyInvocable<ToolResult(const StopFlag& stop)>;

// Runs `work` on the pool and posts its result to `done` on the context's scheduler. After a cancel
// `done` comes at once if the work has not begun (it will not), else as soon as it has looked at
// its flag, and after kCancelPatience in any case. An exception of `work` is an error result. Any
// thread. `work` must not touch the context, which belongs to the scheduler.
void run_blocking(WorkerPool& pool, ToolContext context, BlockingWork work, Tool::Done done);

// What a cancelled call comes to.
ToolResult cancelled_result();
core::Error cancelled_error();

// So long after a cancel the call ends even if the system holds its work back (a dead network
// disk).
inline constexpr core::Millis kCancelPatience{150};

}  // namespace parley::tool
