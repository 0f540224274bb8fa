// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/private_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace parley::app {
namespace {

int exit_code_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// True if a program that this process starts can read this process's `file` in /proc.
bool child_reads(const char* file) {
  const std::string path = "/proc/" + std::to_string(::getpid()) + "/" + file;
  const pid_t child = ::fork();
  if (child == 0) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ::_exit(fd >= 0 ? 0 : 1);
  }
  return exit_code_of(child) == 0;
}

// Runs as an ordinary user, because root may read everything.
int as_a_user() {
  constexpr uid_t kNobody = 65534;
  if (::geteuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) return 2;
  ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  if (!child_reads("environ")) return 3;
  keep_memory_private();
  for (const char* file : {"environ", "mem", "maps", "fd/0", "cwd/."}) {
    if (child_reads(file)) return 4;
  }
  return 0;
}

TEST(PrivateMemory, Children_CannotReadMemory) {
  const pid_t user = ::fork();
  if (user == 0) ::_exit(as_a_user());
  EXPECT_EQ(exit_code_of(user), 0);
}

}  // namespace
}  // namespace parley::app
