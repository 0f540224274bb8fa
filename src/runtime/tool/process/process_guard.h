// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace parley::tool {

// Ends what this process started when this process ends, even by `kill -9`.
//
// A parent's death is told by the kernel only to its own children (PR_SET_PDEATHSIG), not to what
// those started, and after `kill -9` nobody is left who could end the rest. So one small process is
// forked beforehand, with nothing but one end of a socket. What it waits for is the end of that
// socket, which the kernel brings about however this process ends. Then it kills the process groups
// that were entered and have not left, and everything that carries its mark (ProcessMark). A group
// is entered by its leader itself, between fork() and exec(): there is no moment at which a command
// runs and is not known.
//
// The guard has a session of its own and blocks signals, so that Ctrl-C in a terminal and a stop of
// the service end it only by way of this process; its standard streams are /dev/null, and it holds
// no other descriptor. Survivors: a command that has left its group, emptied its environment and
// changed its limit of real-time scheduling, or that runs as another user; and everything below the
// leaders, if the guard is killed with -9 as well.
//
// Linux only, as all of tool/process*. Thread-safe.
class ProcessGuard {
 public:
  // Forks. If no process can be made there is none: then the leaders alone end with this process.
  ProcessGuard();
  ProcessGuard(const ProcessGuard&) = delete;
  ProcessGuard& operator=(const ProcessGuard&) = delete;
  // Ends and reaps the guard; it kills nothing then.
  ~ProcessGuard();

  // Must be a part of the environment of everything that is guarded.
  const std::string& mark() const { return mark_; }
  // The upper bits of the limit that everything that is guarded carries (ProcessMark).
  std::uint64_t limit() const { return limit_; }
  // 0: none.
  pid_t pid() const { return pid_; }

  // The socket; closed on exec. -1: none.
  int door() const { return door_; }
  // Enters the group of the calling process. Safe between fork() and exec().
  static void enter(int door);
  // To be called before the group's leader is reaped: its number may be another's from then on.
  static void leave(int door, pid_t group);

 private:
  std::string mark_;
  std::uint64_t limit_ = 0;
  int door_ = -1;
  pid_t pid_ = 0;
};

}  // namespace parley::tool
