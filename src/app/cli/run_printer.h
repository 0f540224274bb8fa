// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/clock.h"
#include "base/core/visible_text.h"
#include "runtime/stream/event_parser.h"

namespace parley::app {

// How `parley run` shows a run.
enum class RunForm : std::uint8_t {
  readable,    // the agent's text on stdout, its actions on stderr
  stream,      // frames as received, one per line
  single_key,  // frames in the export form, one per line
};

struct RunPrinterOptions {
  RunForm form = RunForm::readable;
  bool colour = false;       // for stderr
  bool status_line = false;  // stderr is a terminal
  bool times = false;        // lines about frames begin with the time of the frame
  // True for agents whose chunks are the reply (react, dup); for other agents only the final reply
  // is shown.
  bool streams_text = true;
};

// Converts the frames of a run to output for a person or a program. Performs no I/O: the caller
// fetches the output and writes it. Used on one thread.
class RunPrinter {
 public:
  explicit RunPrinter(const RunPrinterOptions& options) : options_(options) {}

  // Processes one line of the stream: a frame in its stream form.
  void on_frame(std::string_view line);
  // The current status line, for a terminal of `columns` columns; "": none is shown. `elapsed`:
  // time since the start of the run.
  std::string status(core::Millis elapsed, std::size_t columns = 80) const;

  struct Piece {
    bool to_stderr = false;
    std::string text;
  };
  // Output since the last call, in the order in which it belongs on a terminal.
  std::vector<Piece> take_output() { return std::exchange(output_, {}); }

  // Outcome of the run; std::nullopt until its reply was processed.
  struct Ending {
    std::string stop_reason;  // "end_turn", "cancelled", "error"
    std::string error;
    std::string reply;
  };
  const std::optional<Ending>& ending() const { return ending_; }

  // A call that waits for an approval.
  struct Approval {
    std::string call_id;
    std::string name;
    std::string arguments;
    std::string dangers = {};  // of its command, in Markdown; empty: none
  };
  // The next approval that has not been fetched; std::nullopt: none.
  std::optional<Approval> take_approval();
  // Ids of tool calls that have started or ended since the last call: they need no approval any
  // more.
  std::vector<std::string> take_settled() { return std::exchange(settled_, {}); }
  std::uint64_t last_event_id() const { return last_event_id_; }

 private:
  void on_event(const runtime::RunEvent& event);
  void on_reply(const runtime::Reply& it);
  void on_notices(const runtime::Custom& custom);
  void tell(const runtime::RunEvent& event);
  void say(std::string_view text);
  void end_chunks();
  void say_visible(const std::string& safe);
  void note(std::string_view mark, std::string_view text, std::string_view colour = {});
  // The text to append to.
  std::string& out() { return piece(false); }
  std::string& err() { return piece(true); }
  std::string& piece(bool to_stderr);

  const RunPrinterOptions options_;
  runtime::EventParser parser_;
  std::vector<Piece> output_;
  core::VisibleText voice_{core::Breaks::keep};  // makes hidden characters of the chunks visible
  std::string said_;                             // text written to stdout since the last tool call
  std::string doing_ = "starting";
  std::uint64_t tokens_ = 0;
  std::uint64_t last_event_id_ = 0;
  bool line_open_ = false;  // the last line on stdout has no line break yet
  std::deque<Approval> approvals_;
  std::vector<std::string> settled_;
  std::string at_;  // time of the current frame, as shown
  std::optional<Ending> ending_;
};

// The dangers of a call, each on a line; empty: none.
std::string approval_dangers(const RunPrinter::Approval& approval);
// The question to a person about a call: its tool and all of its arguments, on one line. Hidden
// characters are made visible, and their number follows.
std::string approval_question(const RunPrinter::Approval& approval);

}  // namespace parley::app
