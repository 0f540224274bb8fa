// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/wait_fd.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/core/clock.h"

namespace parley::conformance {

tl::unexpected<core::Error> broken(std::string_view what, int error) {
  return core::fail(core::Code::unavailable, std::string(what) + ": " + std::strerror(error));
}

core::Result<void> wait_for(int fd, short events, Deadline deadline) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<core::Millis>(deadline - std::chrono::steady_clock::now());
    pollfd poller{fd, events, 0};
    const auto limit = std::clamp<std::int64_t>(left.count(), 0, 3'600'000);
    const int ready = poll(&poller, 1, static_cast<int>(limit));
    if (ready > 0) return {};
    if (ready == 0) {
      return core::fail(core::Code::deadline_exceeded, "nothing came in time");
    }
    if (errno != EINTR) return broken("poll", errno);
  }
}

}  // namespace parley::conformance
