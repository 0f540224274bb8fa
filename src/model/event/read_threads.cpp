// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/read_threads.h"

#include <string>
#include <utility>

#include "base/core/assert.h"
#include "base/core/contain.h"

namespace parley::event {

ReadThreads::ReadThreads(std::vector<std::unique_ptr<SessionReader>> readers,
                         std::size_t max_waiting)
    : readers_(std::move(readers)), max_waiting_(max_waiting) {
  PARLEY_ASSERT(!readers_.empty() && max_waiting_ > 0, std::to_string(readers_.size()) +
                                                           " readers for at most " +
                                                           std::to_string(max_waiting_) + " reads");
  try {
    for (const std::unique_ptr<SessionReader>& reader : readers_) {
      threads_.emplace_back([this, &one = *reader] { run(one); });
    }
  } catch (...) {  // the system has no thread left
    stop();
    throw;
  }
}

ReadThreads::~ReadThreads() { stop(); }

void ReadThreads::push(ReadTask task) {
  PARLEY_ASSERT(task, "a read has nothing to do");
  core::Error error;
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_) {
      error = {core::Code::unavailable, "The store is closed: the server is shutting down.", ""};
    } else if (tasks_.size() >= max_waiting_) {
      error = {core::Code::resource_exhausted, "Too many reads wait for the store.", ""};
    } else {
      tasks_.push_back(std::move(task));
      arrived_.notify_one();
      return;
    }
  }
  task(core::fail(std::move(error)));
}

void ReadThreads::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  arrived_.notify_all();
  for (std::thread& thread : std::exchange(threads_, {})) thread.join();
  PARLEY_ASSERT(tasks_.empty(), std::to_string(tasks_.size()) + " reads were never answered");
  readers_.clear();
}

void ReadThreads::run(SessionReader& reader) {
  while (true) {
    ReadTask task;
    {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    count_.fetch_add(1, std::memory_order_relaxed);
    static_cast<void>(core::contain("event reader", [&] { task(&reader); }));
  }
}

}  // namespace parley::event
