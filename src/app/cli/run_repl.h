// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/cli/line_editor.h"
#include "app/cli/run_show.h"

namespace parley::app {

// Starts a run for each line of the standard input, one after the other, all in one session. Lines
// that begin with "/" are commands: /help lists them.
class RunRepl {
 public:
  // `stage` must outlive this object.
  RunRepl(RunStage& stage, RunAsk first);

  // Starts with `first` if it has a message or names a run to resume. Returns the exit code of the
  // last run; 0 if there was none.
  int run();

 private:
  enum class Go : std::uint8_t { on, out };

  std::optional<std::string> read_line();
  std::optional<std::string> edited_line(LineEditor& editor);
  void prompt();
  Go handle(const std::string& line);
  Go command(const std::string& line);
  Go send(std::string message);
  Go run_one(RunAsk ask);
  void compact(const std::string& hint);
  std::optional<std::string> summary(const std::string& hint);
  void models(const std::string& wanted);
  void say(std::string_view text);
  bool in_words() const { return stage_.options.form == RunForm::readable; }

  RunStage& stage_;
  std::optional<LineEditor> editor_;  // std::nullopt: stdin or the output is no terminal
  RunAsk next_;                       // parameters of every run: session, model, approvals
  std::string foreword_;              // summary of a compacted session; prefix of the first message
  int code_ = 0;
  std::string last_model_;  // model of the last run
  bool warned_ = false;     // ^C was pressed at the prompt
};

}  // namespace parley::app
