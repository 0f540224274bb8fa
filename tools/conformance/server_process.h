// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tools/conformance/channel.h"
#include "tools/conformance/process.h"

namespace parley::conformance {

// Splits a command line into words at blanks; quotes ('...' or "...") keep a word together.
std::vector<std::string> split_command(std::string_view line);

// The server under test as a program that the runner starts. It must print a line `ready URL` on
// its standard output. `${port}` in its command is 0 at the first start and the port of that start
// later, so that clients can reconnect. All calls must be on the thread of the first start(): the
// program is killed when that thread ends.
class ServerProcess {
 public:
  explicit ServerProcess(std::vector<std::string> command) : command_(std::move(command)) {}

  // Errors: `unavailable` (it ended, or printed no such line in time; with its output),
  // `invalid_argument` (the URL in the line).
  core::Result<void> start(Deadline deadline);
  // kill -9.
  core::Result<void> kill_now();
  // Sends SIGTERM; the exit status must be 0.
  core::Result<void> stop(Deadline deadline);

  const std::string& url() const { return url_; }
  bool running() const { return process_ != nullptr; }
  // The program's standard error so far.
  std::string errors() const { return process_ ? process_->errors() : last_errors_; }

 private:
  std::vector<std::string> command_;
  std::unique_ptr<Process> process_;
  std::string url_;
  std::string port_ = "0";
  std::string last_errors_;
};

}  // namespace parley::conformance
