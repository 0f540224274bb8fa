// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/temp_folder.h"
#include "programs/conformance/process.h"
#include "runtime/model/testing/scripted_model.h"

namespace parley::tests {

// A frame of a run, as it came.
struct RunFrame {
  std::string line;
  boost::json::object json;

  static RunFrame read(std::string line);
  std::string text(std::string_view name) const;  // empty: there is none
  std::string type() const { return text("type"); }
  bool is_reply() const { return !json.contains("type"); }
  std::uint64_t id() const;
};

// `parley run --json` with these words, whose frames are read as they come.
class RunProgram {
 public:
  RunProgram(const core::TempFolder& dir, std::vector<std::string> words);

  // The next frame; none at the end of the output, or if none comes for a long time.
  std::optional<RunFrame> next();
  // Lets it go on for a while.
  void let_run(core::Millis time);
  // kill -9, and all that it had written.
  void kill_now();
  // The exit status once it has ended by itself.
  int wait();
  std::vector<RunFrame> frames;  // all that have been read
  std::string errors() const { return process_->errors(); }

 private:
  std::optional<RunFrame> take_line();

  std::unique_ptr<conformance::Process> process_;
  std::string waiting_;
};

// Writes a configuration whose one provider is `model` and gives its path; the model is kModel.
std::string model_settings(const core::TempFolder& dir, const model::ScriptedModel& model);
inline constexpr const char* kModel = "local/scripted";

// Process ids, one a line, that a command wrote into a file.
std::vector<int> read_pids(const std::string& path);
// Whether all of them end soon.
bool all_gone(const std::vector<int>& pids);

}  // namespace parley::tests
