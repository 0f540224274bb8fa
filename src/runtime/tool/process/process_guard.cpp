// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/process/process_guard.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/core/entropy.h"
#include "base/core/id.h"
#include "runtime/tool/process/process_marks.h"

namespace parley::tool {
namespace {

// Limit of the registered groups; further ones are found by their mark alone.
// Limit (Tools): groups of commands that the guard knows. Reached: further ones are recognised by
// their mark only.
constexpr std::size_t kMaxGroups = 4'096;

struct Word {
  enum class Kind : std::uint32_t { enter, leave, end };
  Kind kind = Kind::end;
  pid_t group = 0;
};

// Limit of the wait for a guard that does not read.
constexpr timeval kMaxTelling{1, 0};

bool tell(int door, Word word) {
  ssize_t sent = 0;
  do {
    sent = ::send(door, &word, sizeof(word), MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof(word));
}

// The groups to kill. Lives on the guard's stack and does not allocate.
class Groups {
 public:
  void enter(pid_t group) {
    if (count_ < groups_.size()) groups_[count_++] = group;
  }
  void leave(pid_t group) {
    const auto end = groups_.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto found = std::find(groups_.begin(), end, group);
    if (found == end) return;
    *found = groups_[--count_];
  }
  void kill_all() const {
    for (std::size_t i = 0; i < count_; ++i) ::kill(-groups_[i], SIGKILL);
  }

 private:
  std::array<pid_t, kMaxGroups> groups_{};
  std::size_t count_ = 0;
};

void close_from(unsigned first, unsigned last) {
  if (first <= last) ::syscall(SYS_close_range, first, last, 0U);
}

// Detaches from everything inherited from the parent, except `door`.
void leave_all_but(int door) {
  ::setsid();
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, fd);
  close_from(3, static_cast<unsigned>(door) - 1);
  close_from(static_cast<unsigned>(door) + 1, UINT_MAX);
  (void)!::chdir("/");
  ::prctl(PR_SET_NAME, "parley-guard");
}

// Main loop of the guard.
[[noreturn]] void stand(int door, const ProcessMark& mark) {
  leave_all_but(door);
  Groups groups;
  Word word;
  while (true) {
    const ssize_t got = ::recv(door, &word, sizeof(word), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got != static_cast<ssize_t>(sizeof(word))) break;
    if (word.kind == Word::Kind::end) ::_exit(0);
    if (word.kind == Word::Kind::enter) groups.enter(word.group);
    if (word.kind == Word::Kind::leave) groups.leave(word.group);
  }
  groups.kill_all();
  kill_marked(mark);
  ::_exit(0);
}

// Moves a descriptor above the standard streams, which the guard replaces.
int above_standard(int fd) {
  if (fd > STDERR_FILENO) return fd;
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(fd);
  return moved;
}

}  // namespace

ProcessGuard::ProcessGuard() {
  core::SystemEntropy entropy;
  mark_ = core::random_hex(entropy, 16);
  constexpr std::uint64_t kOwnBits =
      (kLimitTop - 1) & ~((std::uint64_t{1} << kLimitCommandBits) - 1);
  limit_ = kLimitTop | (entropy.next_u64() & kOwnBits);
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    spdlog::warn("the guard process for commands could not be started: {}", std::strerror(errno));
    return;
  }
  const int far = above_standard(ends[1]);
  const pid_t pid = ::fork();
  if (pid == 0) stand(far, {mark_, limit_, kLimitTop | kOwnBits});
  const int error = errno;
  ::close(far);
  if (pid < 0) {
    ::close(ends[0]);
    spdlog::warn("the guard process for commands could not be started: {}", std::strerror(error));
    return;
  }
  door_ = ends[0];
  // A group whose end does not reach the guard would be killed after its number was reused.
  ::setsockopt(door_, SOL_SOCKET, SO_SNDTIMEO, &kMaxTelling, sizeof(kMaxTelling));
  pid_ = pid;
}

ProcessGuard::~ProcessGuard() {
  if (door_ < 0) return;
  // Without this message the guard ends as well, but scans all processes first.
  tell(door_, {Word::Kind::end, 0});
  ::close(door_);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void ProcessGuard::enter(int door) {
  if (door >= 0) tell(door, {Word::Kind::enter, ::getpgrp()});
}

void ProcessGuard::leave(int door, pid_t group) {
  if (door >= 0) tell(door, {Word::Kind::leave, group});
}

}  // namespace parley::tool
