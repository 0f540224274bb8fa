// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <optional>
#include <thread>

namespace parley::mcp {
namespace {

constexpr core::Millis kWatchPause{10};

std::optional<pid_t> start_browser(const std::string& url) {
  std::string program = "xdg-open";
  std::string argument = url;
  const std::array<char*, 3> arguments = {program.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none{};
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  sigset_t usual{};
  sigemptyset(&usual);
  sigaddset(&usual, SIGCHLD);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, program.c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return std::nullopt;
  return child;
}

}  // namespace

bool open_browser(const std::string& url) {
  // The kernel reaps the child.
  struct sigaction forget {};
  forget.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &forget, nullptr);
  return start_browser(url).has_value();
}

bool open_browser(const std::string& url, core::Millis patience) {
  const std::optional<pid_t> child = start_browser(url);
  if (!child) return false;
  const core::SystemClock clock;
  const core::MonoTime end = clock.mono() + patience;
  int status = 0;
  while (::waitpid(*child, &status, WNOHANG) != *child) {
    if (clock.mono() >= end) return true;
    std::this_thread::sleep_for(kWatchPause);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace parley::mcp
