// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace parley::mcp {

// Until destruction, SIGINT, SIGTERM and SIGHUP are readable from a descriptor, and a write to a
// closed pipe is an error instead of a signal. Must be created before other threads.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  int fd() const { return fd_; }
  // Returns the next signal that has arrived, or 0. Never blocks.
  int take() const;

 private:
  int fd_ = -1;
  sigset_t before_{};
  struct sigaction pipe_before_ {};
};

}  // namespace parley::mcp
