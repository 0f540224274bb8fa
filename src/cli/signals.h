// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/clock.h"

namespace parley::app {

// Waits for the signals of a server, and for a nudge from another thread, at one place. Blocks
// SIGTERM, SIGINT and SIGHUP in this thread and in every thread made after it, and ignores SIGPIPE:
// make it before any thread.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  // The number of a signal that arrived; 0 after nudge(); std::nullopt after `patience`.
  std::optional<int> wait(core::Millis patience);
  // Ends a wait. Any thread.
  void nudge();

 private:
  int signal_fd_ = -1;
  int nudge_fd_ = -1;
};

}  // namespace parley::app
