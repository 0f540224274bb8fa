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

#include "core/clock.h"
#include "core/visible_text.h"
#include "runtime/stream/event_parser.h"

namespace parley::app {

// How `parley run` shows a run.
enum class RunForm : std::uint8_t {
  readable,    // what is said on stdout, what is done on stderr
  stream,      // frames, one a line, as they came
  single_key,  // the same in the export form
};

struct RunPrinterOptions {
  RunForm form = RunForm::readable;
  bool colour = false;       // of stderr
  bool status_line = false;  // stderr is a terminal
  bool times = false;        // frames say when they were; so do the lines about them
  // Chunks are the reply: in react and dup. Of others only the reply itself is shown.
  bool streams_text = true;
};

// Turns the frames of a run into what a person or a program reads. Pure: what is to be written is
// fetched by the caller. One thread.
class RunPrinter {
 public:
  explicit RunPrinter(const RunPrinterOptions& options) : options_(options) {}

  // One line of the stream: a frame, whatever the form.
  void on_frame(std::string_view line);
  // The status line as it is now, for a terminal that is `columns` wide; "" if there is none.
  // `elapsed` of the run.
  std::string status(core::Millis elapsed, std::size_t columns = 80) const;

  // What there is to write since the last call.
  std::string take_out() { return std::exchange(out_, {}); }
  std::string take_err() { return std::exchange(err_, {}); }

  // Set by the reply.
  struct Ending {
    std::string stop_reason;  // "end_turn", "cancelled", "error"
    std::string error;
    std::string reply;
  };
  const std::optional<Ending>& ending() const { return ending_; }

  // A call that waits for somebody's word.
  struct Approval {
    std::string call_id;
    std::string name;
    std::string arguments;
  };
  // The next one that has not been fetched.
  std::optional<Approval> take_approval();
  // Ids of calls that have begun or ended since the last call: nobody waits for a word on them.
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

  const RunPrinterOptions options_;
  runtime::EventParser parser_;
  std::string out_;
  std::string err_;
  core::VisibleText voice_{core::Breaks::keep};  // of the chunks on stdout
  std::string said_;  // what went to stdout as chunks since the last tool
  std::string doing_ = "starting";
  std::uint64_t tokens_ = 0;
  std::uint64_t last_event_id_ = 0;
  bool line_open_ = false;  // stdout stands in the midst of a line
  std::deque<Approval> approvals_;
  std::vector<std::string> settled_;
  std::string at_;  // of the frame at hand, for people
  std::optional<Ending> ending_;
};

// The question to a person about a call: its tool and its arguments, on one line. Hidden characters
// are written out and counted behind it; long arguments are cut at the end, and that is said.
std::string approval_question(const RunPrinter::Approval& approval);

}  // namespace parley::app
