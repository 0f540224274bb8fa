// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace parley::tool {

// Kills the processes that this process started when this process ends, even by `kill -9`.
//
// The kernel signals a parent's death only to its own children (PR_SET_PDEATHSIG), not to their
// descendants, and after `kill -9` no code of ours runs that could kill the rest. Therefore a small
// process, the guard, is forked beforehand. The guard holds only one end of a socket and waits for
// the end of that socket, which the kernel causes however this process ends. Then the guard kills
// the process groups that entered and have not left, and everything that carries its mark
// (ProcessMark). Each leader enters its group itself, between fork() and exec(): no command ever
// runs unregistered.
//
// The guard has its own session and blocks signals, so that Ctrl-C in a terminal, or a stop of the
// service, ends it only through this process; its standard streams are /dev/null, and it holds no
// other descriptor. Survivors: a command that has left its group, emptied its environment and
// changed its limit of real-time scheduling, or that runs as another user; and all descendants of
// the leaders, if the guard is killed with -9 as well.
//
// Linux only, as all of tool/process*. Thread-safe.
class ProcessGuard {
 public:
  // Forks. If that fails there is no guard: then only the leaders end with this process.
  ProcessGuard();
  ProcessGuard(const ProcessGuard&) = delete;
  ProcessGuard& operator=(const ProcessGuard&) = delete;
  // Ends and reaps the guard, which then kills nothing.
  ~ProcessGuard();

  // Must be in the environment of every guarded process.
  const std::string& mark() const { return mark_; }
  // The upper bits of the limit that every guarded process carries (ProcessMark).
  std::uint64_t limit() const { return limit_; }
  // 0: no guard.
  pid_t pid() const { return pid_; }

  // The socket; closed on exec. -1: no guard.
  int door() const { return door_; }
  // Enters the group of the calling process. Safe between fork() and exec().
  static void enter(int door);
  // Call before the group's leader is reaped: afterwards the kernel may reuse its number.
  static void leave(int door, pid_t group);

 private:
  std::string mark_;
  std::uint64_t limit_ = 0;
  int door_ = -1;
  pid_t pid_ = 0;
};

}  // namespace parley::tool
