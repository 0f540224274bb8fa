// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event/event.h"
#include "protocol/loom/workspace_store.h"
#include "runtime/stream/event_parser.h"

namespace parley::loom {

// Makes the log of a thread from the events of its session: what the person said, what the agent
// said and called, what tools gave. An assistant's message with calls has the content
// {"content","tool_calls":[{"id","name","arguments"}]}, a tool's {"tool_call_id","content"}.
class MessageLog {
 public:
  // Takes the next event.
  void take(const event::Event& event);

  // What can be kept so far, and the event up to which it was made: whoever goes on after that one
  // makes the same.
  std::uint64_t position() const { return position_; }
  std::vector<LoggedMessage> take_messages() { return std::exchange(kept_, {}); }

  // The types of event that it looks at.
  static const std::vector<std::string>& types();

 private:
  struct Said {
    std::string text;
    std::vector<runtime::ToolCallMade> calls;
  };

  void flush(const std::string& node_id);
  void flush_all();

  runtime::EventParser parser_;
  std::map<std::string, Said> open_;  // by node_id
  std::vector<LoggedMessage> made_;   // since the last place where all was closed
  std::vector<LoggedMessage> kept_;
  std::string last_said_;  // by the assistant, in this run
  std::uint64_t position_ = 0;
};

}  // namespace parley::loom
