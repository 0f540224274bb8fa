// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/trusted_program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>

#include "agents/setup/config_file.h"

extern char** environ;

namespace parley::setup {
namespace {

namespace fs = std::filesystem;

constexpr core::Millis kPause{20};

// Waits for the end of a child. std::nullopt is not needed: a killed one has failed.
bool has_succeeded(pid_t child) {
  int status = 0;
  for (core::Millis waited{}; waited < kProgramWait; waited += kPause) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ended < 0 && errno != EINTR) return false;
    ::poll(nullptr, 0, static_cast<int>(kPause.count()));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return false;
}

// The environment of this process, with the variables by which Claude Code sends nothing by itself:
// no telemetry, no updates.
std::vector<std::string> quiet_environment() {
  constexpr std::array<std::string_view, 3> kQuiet = {
      "DISABLE_TELEMETRY=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"};
  std::vector<std::string> variables(kQuiet.begin(), kQuiet.end());
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view variable(*at);
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    const bool is_set = std::any_of(kQuiet.begin(), kQuiet.end(), [name](std::string_view quiet) {
      return quiet.starts_with(name);
    });
    if (!is_set) variables.emplace_back(variable);
  }
  return variables;
}

}  // namespace

std::string distrust_of(const fs::path& program, const fs::path& project) {
  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  if (error) return "it cannot be found";
  if (!project.empty() && (is_inside(real, project) || is_inside(program, project))) {
    return "it is inside the project, which could change it";
  }
  for (fs::path at = real;; at = at.parent_path()) {
    struct stat status {};
    if (::stat(at.c_str(), &status) != 0) return "it cannot be found";
    if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
      return at.string() + " belongs to another user";
    }
    const bool is_sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
    if ((status.st_mode & S_IWOTH) != 0 && !is_sticky) {
      return "other users may write to " + at.string();
    }
    if (!at.has_relative_path()) return {};
  }
}

bool run_quietly(const fs::path& program, const std::vector<std::string>& arguments,
                 const fs::path& folder) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> variables = quiet_environment();
  std::vector<char*> envp;
  envp.reserve(variables.size() + 1);
  for (std::string& variable : variables) envp.push_back(variable.data());
  envp.push_back(nullptr);
  posix_spawn_file_actions_t actions{};
  if (::posix_spawn_file_actions_init(&actions) != 0) return false;
  bool is_ready = true;
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    is_ready =
        is_ready && ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0) == 0;
  }
  is_ready = is_ready && ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str()) == 0;
  pid_t child = -1;
  is_ready = is_ready && ::posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(),
                                       envp.data()) == 0;
  ::posix_spawn_file_actions_destroy(&actions);
  return is_ready && has_succeeded(child);
}

}  // namespace parley::setup
