// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/conformance/channel.h"

namespace parley::conformance {

// A started program with pipes on its standard input and output; its standard error goes to a file
// without a name. Killed on destruction, and when the thread that started it ends. One thread.
class Process {
 public:
  struct Start {
    std::vector<std::string> command;
    std::map<std::string, std::string> env = {};  // added to the environment of the runner
    std::string cwd = {};
  };

  // Errors: `unavailable`. A program that cannot be executed ends with status 127.
  static core::Result<std::unique_ptr<Process>> start(const Start& how);

  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  // As those of Channel, on standard output and input.
  core::Result<bool> read_some(std::string& into, Deadline deadline);
  core::Result<void> write_all(std::string_view bytes, Deadline deadline);
  void close_input();

  void signal(int number);
  // The exit status; 128 + N after signal N. Errors: `deadline_exceeded`.
  core::Result<int> wait(Deadline deadline);
  // The last 64 KiB written to standard error so far.
  std::string errors() const;

 private:
  Process() = default;

  pid_t pid_ = -1;
  int pid_fd_ = -1;
  int input_ = -1;
  int output_ = -1;
  int error_file_ = -1;
  int status_ = -1;
};

}  // namespace parley::conformance
