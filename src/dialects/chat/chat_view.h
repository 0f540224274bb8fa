// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dialects/chat/chat_events.h"
#include "dialects/chat/chat_frames.h"
#include "model/event/event.h"
#include "model/session/interaction.h"
#include "runtime/stream/event_reader.h"

namespace parley::chat {

// Converts the events of a chat session to frames, in the order of the client's generation
// (contract of the chat, section 2.1). Every event must be passed to take() in order of seq, shown
// or not.
class ChatView {
 public:
  // `detail`: also the frames of tools that only Parley's own page reads (docs/protocol-chat.md).
  ChatView(ChatFrames& frames, bool detail) : frames_(frames), detail_(detail) {}

  // `show`: false updates the state without a frame.
  void take(const event::Event& event, bool show);
  // Sends the request of a tool call to the client, once. Does nothing if the call belongs to
  // another run than the one in progress.
  void ask_tool(WaitingTool& tool);

  // Sets the context limit, in tokens, of the model of the run in progress.
  void set_token_limit(std::uint64_t tokens) { token_limit_ = tokens; }

  // Announces the calls that wait for an approval. For views without ask_tool().
  void announce_all();

  // Sends a command with its answer.
  void show_command(const ChatCommand& command);

  // Ends the run in progress with an error, for a run whose server or store failed before its end.
  // Does nothing if there is none.
  void lose(core::WallTime now);

  // The run in progress according to the events processed so far, and its request; empty: none.
  const std::string& run_id() const { return run_id_; }
  const std::string& request_id() const { return request_id_; }

 private:
  // A call of the run in progress.
  struct Call {
    std::string name;
    std::string arguments;
    core::WallTime at;
  };

  // A call with an open request or, without a tool, a question, read from the event of its
  // interaction.
  struct Asked {
    std::optional<WaitingTool> tool;  // without its arguments and explanation
    std::string opened;               // opened_payload() without the prompt
  };

  void take_request(const event::Event& event);
  void take_clear(const event::Event& event);
  void take_command(const event::Event& event);
  void begin(std::string run_id, std::string_view message);
  void on_event(const runtime::RunEvent& event);
  void on_call(const runtime::ToolCallMade& call);
  void on_custom(const runtime::Custom& custom);
  void on_left_out(std::string_view custom);
  void on_conversation(std::string_view custom);
  TokenCount counts(const std::optional<runtime::Usage>& usage) const;
  void on_summary(std::string_view summary, std::uint64_t tokens);
  void announce(const std::optional<std::string>& call_id);
  void announce_postponed(const std::string& call_id);
  void postpone(const std::optional<std::string>& call_id);
  void on_start(const runtime::ToolStart& start);
  void show_plan(const Call& call);
  void show_result(const runtime::ToolEnd& end, const Call& call);
  void on_opened(const event::Event& event);
  // Handles the end of a call's request or a question: an answer, a cancellation or a deadline.
  void on_closed(const event::Event& event);
  void on_tool_closed(const WaitingTool& tool, const session::Interaction& ended);
  void on_question(const session::Interaction& question);
  void on_question_closed(const session::Interaction& ended);
  void pause();
  bool asks() const;
  void lose_run();
  void on_output(const runtime::ToolOutput& output);
  void on_tool_end(const runtime::ToolEnd& end);
  void end(const runtime::Reply& reply);
  void think();
  void end_model_call();
  void end_terminal();
  void say(std::string_view text);
  void prompt(std::string_view type, std::string_view message);
  bool second() const { return frames_.generation() == Generation::second; }

  ChatFrames& frames_;
  runtime::EventReader reader_;
  const bool detail_;
  std::deque<ChatRequest> requests_;  // the last few, without their texts
  std::string run_id_;
  std::string request_id_;
  bool is_order_ = false;
  bool summarised_ = false;
  std::uint64_t token_limit_ = 0;
  std::optional<std::uint64_t> messages_;  // messages of the conversation
  core::WallTime now_;                     // time of the event being processed
  std::map<std::string, Call> calls_;
  std::map<std::string, Asked> asked_;  // by key of the interaction; calls only with `detail_`
  bool show_ = false;
  bool in_model_call_ = false;
  bool paused_ = false;         // the turn has ended with a question of the agent
  bool streamed_ = false;       // text of this run was sent
  bool streamed_here_ = false;  // text of the last model call was sent
  std::optional<runtime::Usage> usage_;
  std::optional<runtime::Usage> last_usage_;  // of the last model call that told it
  std::size_t tools_ = 0;                     // calls of the last model call that have not ended
  std::set<std::string> announced_;           // calls of the last model call that were announced
  // Calls whose announcement is postponed; true: it is sent, false: it only updates the state.
  std::map<std::string, bool, std::less<>> postponed_;
  std::set<std::string> under_way_;  // calls that have started and not ended
  std::string terminal_;             // call whose output is streamed
};

}  // namespace parley::chat
