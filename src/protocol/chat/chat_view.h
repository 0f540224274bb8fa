// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "event/event.h"
#include "protocol/chat/chat_frames.h"
#include "runtime/stream/event_parser.h"
#include "session/interaction.h"

namespace parley::chat {

// The event that ties a client's request to its run, before the run begins: {request_id, run_id,
// role, content}. Durable.
inline constexpr std::string_view kRequestType = "chat.request";
std::string request_payload(std::string_view request_id, std::string_view run_id,
                            std::string_view content);

// A tool call that waits for the client, as its interaction says.
struct WaitingTool {
  std::string key;  // of the interaction
  std::string call_id;
  std::string name;
  std::string arguments;  // JSON text
  std::string run_id;
  bool of_client = false;
};
// std::nullopt: the interaction is of another kind, or says nothing of a call.
std::optional<WaitingTool> waiting_tool(const session::Interaction& interaction);

// Shows the events of a chat's session as frames, in the order of the client's generation (contract
// of the chat, section 2.1). Every event, in order of seq, goes through take(), shown or not.
class ChatView {
 public:
  explicit ChatView(FrameWriter& frames) : frames_(frames) {}

  // `show`: false follows the event without a frame.
  void take(const event::Event& event, bool show);
  // Asks the client for a tool. Nothing happens if the call's run is not the one that goes on.
  void ask_tool(const WaitingTool& tool);

  // The run that goes on, as far as was seen, and its request; empty: none.
  const std::string& run_id() const { return run_id_; }
  const std::string& request_id() const { return request_id_; }

 private:
  void take_request(const event::Event& event);
  void begin(const runtime::RunStart& start);
  void on_event(const runtime::RunEvent& event);
  void announce(const std::optional<std::string>& call_id);
  void on_output(const runtime::ToolOutput& output);
  void on_tool_end(const runtime::ToolEnd& end);
  void end(const runtime::Reply& reply);
  void think();
  void end_model_call();
  void end_terminal();
  void prompt(std::string_view type, std::string_view message);
  bool second() const { return frames_.generation() == Generation::second; }

  FrameWriter& frames_;
  runtime::EventParser parser_;
  std::deque<std::pair<std::string, std::string>> requests_;  // run id, request id: the last few
  std::string run_id_;
  std::string request_id_;
  bool show_ = false;
  bool in_model_call_ = false;
  bool streamed_ = false;  // text of this run was shown
  std::optional<runtime::Usage> usage_;
  std::size_t tools_ = 0;            // of the last model call, that have not ended
  std::set<std::string> announced_;  // of these, those that were told
  std::string terminal_;             // the call whose output is shown
};

}  // namespace parley::chat
