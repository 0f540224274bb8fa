// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/checkpointer.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace parley::sql {

Checkpointer::Checkpointer(Database database)
    : database_(std::move(database)), thread_([this] { run(); }) {}

Checkpointer::~Checkpointer() { stop(); }

void Checkpointer::request() {
  {
    const std::scoped_lock lock(mutex_);
    if (requested_) return;
    requested_ = true;
  }
  wake_.notify_one();
}

void Checkpointer::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  database_ = Database();
}

void Checkpointer::run() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return requested_ || stopping_; });
      if (stopping_) return;
    }
    checkpoint();
    // Cleared only after the checkpoint: requests made during it are dropped, and the next
    // checkpoint moves their pages.
    const std::scoped_lock lock(mutex_);
    requested_ = false;
  }
}

void Checkpointer::checkpoint() {
  const core::Result<void> done = database_.checkpoint(Checkpoint::what_it_can);
  if (done) {
    done_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  // The writer holds the lock.
  if (done.error().code == core::Code::unavailable) return;
  failed_.fetch_add(1, std::memory_order_relaxed);
  spdlog::warn("store: a checkpoint failed and will be tried again: {}", done.error().message);
}

}  // namespace parley::sql
