// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/line_editor.h"
#include "cli/run_show.h"

namespace parley::app {

// Runs one after another, each with a line of the standard input, all of one session. Lines that
// begin with "/" are commands: /help lists them.
class RunRepl {
 public:
  // `stage` outlives it.
  RunRepl(RunStage& stage, RunAsk first);

  // Begins with `first` if it has a message or names a run to go on with. Returns the exit code of
  // the last run; 0 if there was none.
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
  std::optional<LineEditor> editor_;  // where a person types
  RunAsk next_;                       // what every run is begun with: session, model, approvals
  std::string foreword_;  // of a session that was made compact; goes before its first message
  int code_ = 0;
  std::string last_model_;  // of the last run
  bool warned_ = false;     // by a ^C at the prompt
};

}  // namespace parley::app
