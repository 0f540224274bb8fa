// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/output_queue.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

namespace parley::mcp {
namespace {

constexpr std::size_t kCompactAt = 1U << 20U;

}  // namespace

// A pipe that polls as writable accepts PIPE_BUF bytes without blocking (pipe(7)).
long OutputQueue::write_some(std::string_view bytes) {
  if (is_socket_) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0 || errno != ENOTSOCK) return sent;
    is_socket_ = false;
  }
  pollfd polled{fd_, POLLOUT, 0};
  const int ready = ::poll(&polled, 1, 0);
  if (ready < 0) return -1;
  if (ready == 0 || (polled.revents & (POLLOUT | POLLERR | POLLHUP | POLLNVAL)) == 0) {
    errno = EAGAIN;
    return -1;
  }
  return ::write(fd_, bytes.data(), bytes.size() < PIPE_BUF ? bytes.size() : PIPE_BUF);
}

bool OutputQueue::flush() {
  while (!empty()) {
    const long written = write_some(std::string_view(pending_).substr(begin_));
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK;
    }
    begin_ += static_cast<std::size_t>(written);
    if (begin_ >= kCompactAt) {
      pending_.erase(0, begin_);
      begin_ = 0;
    }
  }
  pending_.clear();
  begin_ = 0;
  return true;
}

}  // namespace parley::mcp
