// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/core/clock.h"
#include "base/core/worker.h"
#include "base/sql/database.h"

namespace parley::sql {

// Moves pages from the write-ahead log to the database file, on its own thread and connection, so
// that no commit waits for a checkpoint.
class Checkpointer {
 public:
  // `clock` outlives this object.
  Checkpointer(Database database, const core::Clock& clock);
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  // Requests a passive checkpoint. Returns at once. Any thread.
  void request();
  // Ends the thread after the requested checkpoint, and closes the connection.
  void stop();

  std::uint64_t done() const { return done_.load(std::memory_order_relaxed); }
  std::uint64_t failed() const { return failed_.load(std::memory_order_relaxed); }

 private:
  void checkpoint();

  Database database_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<bool> requested_{false};
  core::Worker worker_;  // declared last: uses the other members
};

}  // namespace parley::sql
