// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/core/clock.h"

namespace parley::app {

// Waits for the signals of a server and for a nudge from another thread. Blocks SIGTERM, SIGINT and
// SIGHUP in this thread and in every thread created later, and ignores SIGPIPE. Must be created
// before any other thread.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  // Returns the number of the next signal; 0 after nudge(); std::nullopt after `patience`.
  std::optional<int> wait(core::Millis patience);
  // Ends a wait. Thread-safe.
  void nudge();

 private:
  int signal_fd_ = -1;
  int nudge_fd_ = -1;
};

}  // namespace parley::app
