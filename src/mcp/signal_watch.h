// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace parley::mcp {

// Makes SIGINT and SIGTERM readable from a descriptor as long as the object lives, and makes a
// write to a closed pipe an error instead of a signal. Must be created before other threads are.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  int fd() const { return fd_; }
  // The signal that arrived, or 0. Never waits.
  int take() const;

 private:
  int fd_ = -1;
  sigset_t before_{};
  struct sigaction pipe_before_ {};
};

}  // namespace parley::mcp
