// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace parley::mcp {

// Turns SIGINT and SIGTERM into a readable descriptor while it lives, and makes writing to a closed
// pipe an error instead of a signal. To be made before other threads are.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  int fd() const { return fd_; }
  // The signal that came, or 0. Never waits.
  int take() const;

 private:
  int fd_ = -1;
  sigset_t before_{};
  struct sigaction pipe_before_ {};
};

}  // namespace parley::mcp
