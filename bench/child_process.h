// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace parley::bench {

// A child process whose standard input and output belong to this object. Destruction ends the child
// and waits for it. One thread.
class ChildProcess {
 public:
  // Ends this program with a message if it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& command);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  // Writes the line and a newline at once.
  void write_line(const std::string& line);
  // Blocks for one whole line, without its newline. Ends this program if the child closes first.
  std::string read_line();
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string pending_;
};

}  // namespace parley::bench
