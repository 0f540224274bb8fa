// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "programs/conformance/channel.h"
#include "programs/conformance/process.h"

namespace parley::conformance {

// Splits a command line into words at blanks; quotes ('...' or "...") keep a word together.
std::vector<std::string> split_command(std::string_view line);

// The server under test as a program that the runner starts. It must print a line `ready URL` on
// its standard output. `${port}` in its command is 0 at first and then the port that it got, so
// that clients which reconnect by themselves find it again. The first start() makes its thread the
// one that the program dies with; call everything on that thread.
class ServerProcess {
 public:
  explicit ServerProcess(std::vector<std::string> command) : command_(std::move(command)) {}

  // Errors: `unavailable` (it ended, with the end of what it said), `deadline_exceeded`.
  core::Result<void> start(Deadline deadline);
  // kill -9.
  core::Result<void> kill_now();
  // SIGTERM; the exit status must be 0.
  core::Result<void> stop(Deadline deadline);

  const std::string& url() const { return url_; }
  bool running() const { return process_ != nullptr; }
  // What it has written to its standard error.
  std::string errors() const { return process_ ? process_->errors() : last_errors_; }

 private:
  std::vector<std::string> command_;
  std::unique_ptr<Process> process_;
  std::string url_;
  std::string port_ = "0";
  std::string last_errors_;
};

}  // namespace parley::conformance
