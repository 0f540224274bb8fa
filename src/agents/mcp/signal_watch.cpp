// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/signal_watch.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace parley::mcp {

SignalWatch::SignalWatch() {
  sigset_t watched{};
  sigemptyset(&watched);
  sigaddset(&watched, SIGINT);
  sigaddset(&watched, SIGTERM);
  sigaddset(&watched, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &watched, &before_);
  fd_ = ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &pipe_before_);
}

SignalWatch::~SignalWatch() {
  // Discards pending signals, which would otherwise take effect once they are unblocked.
  while (take() != 0) {
  }
  if (fd_ >= 0) ::close(fd_);
  sigaction(SIGPIPE, &pipe_before_, nullptr);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int SignalWatch::take() const {
  signalfd_siginfo info{};
  const ssize_t got = ::read(fd_, &info, sizeof(info));
  return got == static_cast<ssize_t>(sizeof(info)) ? static_cast<int>(info.ssi_signo) : 0;
}

}  // namespace parley::mcp
