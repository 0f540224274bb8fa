// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "program.h"

namespace parley::tests {

// parley at a terminal of its own, as for a person: stdout and stderr arrive together, input is
// echoed, and ^C signals every process there. Killed on destruction.
class TerminalProgram {
 public:
  TerminalProgram(const core::TempFolder& dir, std::vector<std::string> arguments,
                  unsigned short columns = 80) {
    conformance::Process::Start start = command(dir, std::move(arguments));
    start.env["TERM"] = "xterm";
    std::vector<std::string> variables;
    for (char** each = environ; *each != nullptr; ++each) {
      const std::string variable = *each;
      if (!start.env.contains(variable.substr(0, variable.find('='))))
        variables.push_back(variable);
    }
    for (const auto& [name, value] : start.env) variables.push_back(name + "=" + value);
    std::vector<char*> env = pointers(variables);
    std::vector<char*> words = pointers(start.command);
    winsize size{};
    size.ws_row = 24;
    size.ws_col = columns;
    pid_ = ::forkpty(&screen_, nullptr, nullptr, &size);
    if (pid_ == 0) {
      // Only calls that are safe after a fork.
      if (::chdir(start.cwd.c_str()) == 0) ::execve(words[0], words.data(), env.data());
      ::_exit(127);
    }
    EXPECT_GT(pid_, 0);
  }
  TerminalProgram(const TerminalProgram&) = delete;
  TerminalProgram& operator=(const TerminalProgram&) = delete;
  ~TerminalProgram() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    if (screen_ >= 0) ::close(screen_);
  }

  // Reads output meanwhile, so that neither side blocks on a full buffer.
  void type(const std::string& text) {
    constexpr std::size_t kAtOnce = 512;
    for (std::size_t at = 0; at < text.size();) {
      pollfd waits{screen_, POLLIN | POLLOUT, 0};
      ASSERT_GT(::poll(&waits, 1, static_cast<int>(kPatience)), 0) << at << " bytes were taken";
      if ((waits.revents & POLLIN) != 0) {
        ASSERT_TRUE(read_some());
      } else {
        const std::size_t size = std::min(kAtOnce, text.size() - at);
        const ssize_t written = ::write(screen_, text.data() + at, size);
        ASSERT_GT(written, 0);
        at += static_cast<std::size_t>(written);
      }
    }
  }
  static constexpr const char* kInterrupt = "\x03";
  static constexpr const char* kEnd = "\x04";

  // True if `text` appears after the texts that earlier calls found.
  bool shows(const std::string& text) {
    while (true) {
      const std::size_t found = all_.find(text, seen_);
      if (found != std::string::npos) {
        seen_ = found + text.size();
        return true;
      }
      if (!read_some()) return false;
    }
  }
  // True if the program receives each key at once, not whole lines.
  bool takes_keys() const {
    termios state{};
    return ::tcgetattr(screen_, &state) == 0 && (state.c_lflag & ICANON) == 0;
  }
  // The exit code; blocks until the end. -1: it does not end in time, -2: it was killed.
  int wait() {
    while (read_some()) {
    }
    const auto give_up = in_ms(kPatience);
    int status = 0;
    while (::waitpid(pid_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > give_up) return -1;
      ::poll(nullptr, 0, 5);
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
  }
  const std::string& all() const { return all_; }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
  }

  // False at the end, or if nothing comes within the patience.
  bool read_some() {
    pollfd waits{screen_, POLLIN, 0};
    if (::poll(&waits, 1, static_cast<int>(kPatience)) <= 0) return false;
    std::array<char, 4'096> bytes{};
    const ssize_t got = ::read(screen_, bytes.data(), bytes.size());
    if (got <= 0) return false;
    all_.append(bytes.data(), static_cast<std::size_t>(got));
    return true;
  }

  pid_t pid_ = -1;
  int screen_ = -1;
  std::string all_;
  std::size_t seen_ = 0;
};

}  // namespace parley::tests
