// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/password_prompt.h"

#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace parley::app {
namespace {

using core::Code;
using core::Result;

constexpr std::size_t kMaxLineBytes = 4'096;
constexpr char kInterrupt = 3;  // Ctrl-C
constexpr char kEndOfInput = 4;
constexpr char kBackspace = 8;
constexpr char kEraseLine = 21;
constexpr char kDelete = 127;

// Makes the terminal deliver each key at once, without echo, until destruction. Keyboard signals
// arrive as keys, so that none ends the process while the terminal is in this mode.
class SilentKeys {
 public:
  SilentKeys() : changed_(::tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!changed_) return;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL | ICANON | ISIG);
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
  }
  ~SilentKeys() {
    if (changed_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  SilentKeys(const SilentKeys&) = delete;
  SilentKeys& operator=(const SilentKeys&) = delete;

 private:
  termios before_{};
  bool changed_;
};

// False: end of input.
bool read_byte(char& byte) {
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    return count == 1;
  }
}

void drop_character(std::string& utf8) {
  while (!utf8.empty()) {
    const bool inside = (static_cast<unsigned char>(utf8.back()) & 0xc0U) == 0x80U;
    utf8.pop_back();
    if (!inside) return;
  }
}

// Call only while a SilentKeys exists.
Result<std::string> read_silently(const char* prompt) {
  std::fputs(prompt, stderr);
  std::string line;
  char key = 0;
  while (read_byte(key) && key != kInterrupt && key != kEndOfInput) {
    if (key == '\r' || key == '\n') {
      std::fputc('\n', stderr);
      return line;
    }
    if (key == kBackspace || key == kDelete) {
      drop_character(line);
    } else if (key == kEraseLine) {
      line.clear();
    } else if (line.size() < kMaxLineBytes) {
      line.push_back(key);
    }
  }
  std::fputc('\n', stderr);
  return core::fail(Code::cancelled, "No password was given.");
}

}  // namespace

Result<std::string> ask_new_password() {
  if (::isatty(STDIN_FILENO) != 1) {
    return core::fail(Code::failed_precondition,
                      "There is no terminal to ask for the password. Give it on the first line of "
                      "stdin with --password-stdin.");
  }
  const SilentKeys silent;
  Result<std::string> first = read_silently("Password: ");
  if (!first) return first;
  Result<std::string> second = read_silently("Password again: ");
  if (!second) return second;
  if (*first == *second) return first;
  return core::fail(Code::invalid_argument, "The two passwords differ.");
}

Result<std::string> read_password_line() {
  std::string line;
  char byte = 0;
  bool some = false;
  while (read_byte(byte) && byte != '\n' && line.size() <= kMaxLineBytes) {
    some = true;
    line.push_back(byte);
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (some && line.size() <= kMaxLineBytes) return line;
  return core::fail(Code::invalid_argument, "stdin has no line with a password.");
}

}  // namespace parley::app
