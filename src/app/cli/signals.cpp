// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>

namespace parley::app {

Signals::Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, nullptr);
  signal_fd_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  nudge_fd_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

Signals::~Signals() {
  ::close(signal_fd_);
  ::close(nudge_fd_);
}

std::optional<int> Signals::wait(core::Millis patience) {
  std::array<pollfd, 2> fds = {{{signal_fd_, POLLIN, 0}, {nudge_fd_, POLLIN, 0}}};
  if (::poll(fds.data(), fds.size(), static_cast<int>(patience.count())) <= 0) return std::nullopt;
  if (fds[0].revents != 0) {
    signalfd_siginfo info{};
    if (::read(signal_fd_, &info, sizeof(info)) == sizeof(info)) {
      return static_cast<int>(info.ssi_signo);
    }
  }
  std::uint64_t count = 0;
  if (fds[1].revents != 0 && ::read(nudge_fd_, &count, sizeof(count)) == sizeof(count)) return 0;
  return std::nullopt;
}

void Signals::nudge() {
  const std::uint64_t one = 1;
  // The write cannot block: the counter of an eventfd holds nearly 2^64.
  (void)!::write(nudge_fd_, &one, sizeof(one));
}

}  // namespace parley::app
