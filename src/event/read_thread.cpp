// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "event/read_thread.h"

#include "core/contain.h"

namespace parley::event {

ReadThread::ReadThread(std::unique_ptr<EventReader> reader, std::size_t max_waiting)
    : reader_(std::move(reader)), max_waiting_(max_waiting), thread_([this] { run(); }) {}

ReadThread::~ReadThread() { stop(); }

void ReadThread::push(ReadTask task) {
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

void ReadThread::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  arrived_.notify_one();
  if (thread_.joinable()) thread_.join();
  reader_.reset();
}

void ReadThread::run() {
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
    static_cast<void>(core::contain("event reader", [&] { task(reader_.get()); }));
  }
}

}  // namespace parley::event
