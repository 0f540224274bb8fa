// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parley::core {

// Marks the current thread, for the lifetime of the object, as one that serves many connections:
// code that waits for a disk or another process must not run on it.
class LoopThread {
 public:
  LoopThread();
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;
  ~LoopThread();

  // True if the calling thread is marked.
  static bool here();

 private:
  bool before_;
};

// Ends the process if the calling thread is marked as a loop's. `what` names the code that may wait
// for the disk ("SQLite"). Costs one read of a thread-local variable.
void assert_may_block(std::string_view what);

}  // namespace parley::core
