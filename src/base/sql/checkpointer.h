// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "base/sql/database.h"

namespace parley::sql {

// Moves pages from the write-ahead log to the database file, on its own thread and connection, so
// that no commit waits for a checkpoint.
class Checkpointer {
 public:
  explicit Checkpointer(Database database);
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  // Requests a passive checkpoint. Returns at once. Any thread.
  void request();
  // Ends the thread after the checkpoint in progress, and closes the connection.
  void stop();

  std::uint64_t done() const { return done_.load(std::memory_order_relaxed); }
  std::uint64_t failed() const { return failed_.load(std::memory_order_relaxed); }

 private:
  void run();
  void checkpoint();

  Database database_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool requested_ = false;
  bool stopping_ = false;
  std::thread thread_;  // declared last: uses the other members
};

}  // namespace parley::sql
