// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/process_marks.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace parley::tool {
namespace {

constexpr std::size_t kMaxEnvironment = 2U << 20U;
// What starts others while it is killed is looked for again.
constexpr int kRounds = 5;

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

std::vector<pid_t> all_processes() {
  std::vector<pid_t> out;
  const std::unique_ptr<DIR, CloseDir> dir(::opendir("/proc"));
  if (!dir) return out;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string_view name(&entry->d_name[0]);
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error == std::errc() && end == name.data() + name.size()) out.push_back(pid);
  }
  return out;
}

bool carries(pid_t pid, const std::string& mark) {
  const std::string path = "/proc/" + std::to_string(pid) + "/environ";
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::string text;
  std::array<char, 16U << 10U> buffer{};
  while (text.size() < kMaxEnvironment) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(fd);
  return text.find(mark) != std::string::npos;
}

bool kill_one(pid_t pid, const std::string& mark) {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) return false;
  // Asked again, now that the number cannot be another's.
  const bool killed =
      carries(pid, mark) && ::syscall(SYS_pidfd_send_signal, fd, SIGKILL, nullptr, 0) == 0;
  ::close(fd);
  return killed;
}

}  // namespace

std::size_t kill_marked(const std::string& mark) {
  std::size_t total = 0;
  const pid_t self = ::getpid();
  for (int round = 0; round < kRounds; ++round) {
    std::size_t found = 0;
    for (const pid_t pid : all_processes()) {
      if (pid != self && carries(pid, mark) && kill_one(pid, mark)) ++found;
    }
    total += found;
    if (found == 0) break;
  }
  return total;
}

}  // namespace parley::tool
