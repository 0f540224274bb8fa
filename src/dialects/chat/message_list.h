// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "dialects/chat/chat_frames.h"
#include "model/event/session_store.h"
#include "runtime/run/run_service.h"

namespace parley::chat {

// Builds the messages of a session from its frames, in the form that front ends list (contract of
// the chat, section 1.3): USER, USER_ORDER, ASSISTANT, AGENT_MESSAGE, AGENT_PLAN, AGENT_STATUS,
// AGENT_ERROR. Above kMaxListedBytes in total the oldest are dropped.
class MessageList final : public ChatFrames {
 public:
  explicit MessageList(std::string session_code) : session_code_(std::move(session_code)) {}

  Generation generation() const override { return Generation::second; }
  void set_place(core::WallTime at, std::uint64_t seq) override;
  using ChatFrames::prompt;
  void prompt(std::string_view request_id, std::string_view type, std::string_view message,
              const More& more) override;
  void user_message(const ChatRequest& request) override;
  void stream(std::string_view request_id, std::string_view content) override;
  void complete(std::string_view request_id, const TokenCount& tokens) override;
  void token_usage(std::string_view /*request_id*/, const TokenCount& /*tokens*/) override {}
  void tool_request(std::string_view /*request_id*/, const ToolRequest& /*request*/) override {}

  // A JSON array, oldest first.
  std::string json() const;

  // Limit (Chats): one listing of messages, which has the newest. Reached: older ones are left out.
  static constexpr std::size_t kMaxListedBytes = 4U << 20U;

 private:
  struct Row {
    std::string id;
    core::WallTime at;
    std::string request_id;
    std::string_view role;
    std::string content;
    std::string calls;  // ASSISTANT only: elements of a JSON array
  };

  void add(std::string_view request_id, std::string_view role, std::string_view content);
  void end_text();
  void add_call(std::string_view request_id, const More& more);
  void replace(const More& more);
  void write(core::JsonWriter& json, const Row& row) const;

  const std::string session_code_;
  core::WallTime at_;
  std::uint64_t seq_ = 0;
  std::deque<Row> rows_;
  std::size_t bytes_ = 0;      // size of `rows_`
  std::string text_;           // text of the model call in progress
  std::string text_of_;        // its request
  std::size_t rows_here_ = 0;  // rows of the event in progress
  bool in_terminal_ = false;
};

// Reads the messages of a session of `owner` since the last clear, as a JSON array. `done` is
// called once on `scheduler`. Errors: those of the store.
void list_messages(event::SessionStore& store, run::RunService& runs, std::string owner,
                   std::string session, core::Scheduler& scheduler,
                   absl::AnyInvocable<void(core::Result<std::string>)> done);

}  // namespace parley::chat
