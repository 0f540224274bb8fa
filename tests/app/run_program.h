// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/temp_folder.h"
#include "tests/support/scripted_model/scripted_model.h"
#include "tools/conformance/process.h"

namespace parley::tests {

// A frame of a run as received.
struct RunFrame {
  std::string line;
  boost::json::object json;

  static RunFrame read(std::string line);
  std::string text(std::string_view name) const;  // empty: absent
  std::string type() const { return text("type"); }
  bool is_reply() const { return !json.contains("type"); }
  std::uint64_t id() const;
};

// `parley run --json` with these arguments; its frames are read as they arrive.
class RunProgram {
 public:
  RunProgram(const core::TempFolder& dir, std::vector<std::string> words);

  // The next frame; std::nullopt: end of output, or a time-out.
  std::optional<RunFrame> next();
  // Lets the program run for a while.
  void let_run(core::Millis time);
  // Sends SIGKILL, and reads the output written before.
  void kill_now();
  // The exit status. Blocks until the program has ended by itself.
  int wait();
  std::vector<RunFrame> frames;  // all frames read so far
  std::string errors() const { return process_->errors(); }

 private:
  std::optional<RunFrame> take_line();

  std::unique_ptr<conformance::Process> process_;
  std::string waiting_;
};

// Writes a configuration whose only provider is `model`, and returns its path; the model is
// kModel.
std::string model_settings(const core::TempFolder& dir, const model::ScriptedModel& model);
inline constexpr const char* kModel = "local/scripted";

// Process ids that a command wrote into a file, one per line.
std::vector<int> read_pids(const std::string& path);
// True if all of them end within the patience.
bool all_gone(const std::vector<int>& pids);

}  // namespace parley::tests
