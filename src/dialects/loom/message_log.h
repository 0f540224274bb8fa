// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dialects/loom/workspace_store.h"
#include "model/event/event.h"
#include "runtime/stream/event_parser.h"

namespace parley::loom {

// Converts the events of a thread's session to its log: messages of the person, text and calls of
// the agent, results of tools. The content of an assistant's message with calls is
// {"content","tool_calls":[{"id","name","arguments"}]}; that of a tool's message is
// {"tool_call_id","content"}.
class MessageLog {
 public:
  // Processes the next event.
  void take(const event::Event& event);

  // The event up to which the messages are final. A new log that starts after that event produces
  // the same messages from there.
  std::uint64_t position() const { return position_; }
  std::vector<LoggedMessage> take_messages() { return std::exchange(kept_, {}); }

  // The types of event that take() processes.
  static const std::vector<std::string>& types();

 private:
  struct Message {
    std::string text;
    std::vector<runtime::ToolCallMade> calls;
  };

  void flush(const std::string& node_id);
  void flush_all();

  runtime::EventParser parser_;
  std::map<std::string, Message> open_;  // by node_id
  std::vector<LoggedMessage> made_;  // messages since the last event after which no node was open
  std::vector<LoggedMessage> kept_;
  std::string last_said_;  // last text of the assistant in this run
  std::uint64_t position_ = 0;
};

}  // namespace parley::loom
