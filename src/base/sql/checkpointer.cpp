// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/checkpointer.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace parley::sql {

Checkpointer::Checkpointer(Database database, const core::Clock& clock)
    : database_(std::move(database)), worker_(clock) {}

Checkpointer::~Checkpointer() { stop(); }

void Checkpointer::request() {
  if (requested_.exchange(true)) return;
  worker_.post([this] {
    checkpoint();
    // Cleared only after the checkpoint: requests made during it are dropped, and the next
    // checkpoint moves their pages.
    requested_ = false;
  });
}

void Checkpointer::stop() {
  worker_.stop();
  database_ = Database();
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
