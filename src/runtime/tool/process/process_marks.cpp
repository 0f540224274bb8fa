// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/process/process_marks.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/core/number_text.h"

namespace parley::tool {
namespace {

constexpr std::size_t kMaxEnvironment = 2U << 20U;
// Rounds of the search, because processes may start others while they are killed.
constexpr int kRounds = 5;

// Calls `use` for every process of the system.
template <typename Use>
void for_each_process(Use use) {
  const int folder = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  std::array<char, 16U << 10U> buffer{};
  while (true) {
    const auto got = ::syscall(SYS_getdents64, folder, buffer.data(), buffer.size());
    if (got <= 0) break;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      std::uint16_t length = 0;
      std::memcpy(&length, buffer.data() + at + offsetof(dirent64, d_reclen), sizeof(length));
      if (length == 0) break;
      if (const auto pid =
              core::parse_number<pid_t>(buffer.data() + at + offsetof(dirent64, d_name)))
        use(*pid);
      at += length;
    }
  }
  ::close(folder);
}

int open_environment(pid_t pid) {
  constexpr std::string_view kBefore = "/proc/";
  constexpr std::string_view kAfter = "/environ";
  std::array<char, 64> path{};
  char* at = std::copy(kBefore.begin(), kBefore.end(), path.data());
  at = std::to_chars(at, path.data() + path.size() - kAfter.size() - 1, pid).ptr;
  std::copy(kAfter.begin(), kAfter.end(), at);
  return ::open(path.data(), O_RDONLY | O_CLOEXEC);
}

bool carries_text(pid_t pid, std::string_view mark) {
  const int fd = open_environment(pid);
  if (fd < 0) return false;
  std::array<char, (16U << 10U) + kMaxMark> buffer{};
  std::size_t previous_end = 0;  // end of the previous piece: the mark may begin there
  bool found = false;
  for (std::size_t total = 0; !found && total < kMaxEnvironment;) {
    const ssize_t got = ::read(fd, buffer.data() + previous_end, buffer.size() - previous_end);
    if (got <= 0) break;
    total += static_cast<std::size_t>(got);
    const std::string_view seen(buffer.data(), previous_end + static_cast<std::size_t>(got));
    found = seen.find(mark) != std::string_view::npos;
    previous_end = std::min(seen.size(), mark.size() - 1);
    std::memmove(buffer.data(), seen.data() + seen.size() - previous_end, previous_end);
  }
  ::close(fd);
  return found;
}

bool carries(pid_t pid, const ProcessMark& mark) {
  rlimit limit{};
  if (mark.limit != 0 && ::prlimit(pid, RLIMIT_RTTIME, nullptr, &limit) == 0 &&
      ((limit.rlim_max ^ mark.limit) & mark.limit_bits) == 0) {
    return true;
  }
  return carries_text(pid, mark.text);
}

bool kill_one(pid_t pid, const ProcessMark& mark) {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) return false;
  // Checked again, now that the number cannot be reused.
  const bool killed =
      carries(pid, mark) && ::syscall(SYS_pidfd_send_signal, fd, SIGKILL, nullptr, 0) == 0;
  ::close(fd);
  return killed;
}

}  // namespace

void carry_limit(std::uint64_t limit) {
  const rlimit both{limit, limit};
  ::setrlimit(RLIMIT_RTTIME, &both);
}

std::size_t kill_marked(const ProcessMark& mark) {
  if (mark.text.empty() || mark.text.size() > kMaxMark) return 0;
  std::size_t total = 0;
  const pid_t self = ::getpid();
  for (int round = 0; round < kRounds; ++round) {
    std::size_t found = 0;
    for_each_process([&](pid_t pid) {
      if (pid != self && carries(pid, mark) && kill_one(pid, mark)) ++found;
    });
    total += found;
    if (found == 0) break;
  }
  return total;
}

}  // namespace parley::tool
