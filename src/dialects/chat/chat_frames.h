// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/json_writer.h"
#include "dialects/chat/chat_message.h"
#include "runtime/stream/run_event.h"

namespace parley::chat {

// The prompt types of both generations.
namespace prompt {
inline constexpr std::string_view kStarted = "STARTED";
inline constexpr std::string_view kThinking = "THINKING";
inline constexpr std::string_view kToolCalling = "TOOL_CALLING";
inline constexpr std::string_view kToolComplete = "TOOL_COMPLETE";
inline constexpr std::string_view kSummary = "SUMMARY";
inline constexpr std::string_view kSummaryComplete = "SUMMARY_COMPLETE";
inline constexpr std::string_view kTodoWrite = "TODO_WRITE";
inline constexpr std::string_view kStatusUpdate = "STATUS_UPDATE";
inline constexpr std::string_view kClear = "CLEAR";
// Only for clients that ask for the frames of tools (ChatCaller::detail).
inline constexpr std::string_view kToolResult = "TOOL_RESULT";
inline constexpr std::string_view kToolAnswered = "TOOL_ANSWERED";
inline constexpr std::string_view kReplaced = "REPLACED";
// The replay was limited: older messages are not sent.
inline constexpr std::string_view kReplayCut = "REPLAY_CUT";
inline constexpr std::string_view kMessageBlock = "AGENT_MESSAGE_BLOCK";
inline constexpr std::string_view kTerminalStart = "TERMINAL_OUTPUT_START";
inline constexpr std::string_view kTerminalEnd = "TERMINAL_OUTPUT_END";
inline constexpr std::string_view kInterrupted = "INTERRUPTED";
inline constexpr std::string_view kError = "ERROR";
inline constexpr std::string_view kComplete = "COMPLETE";
}  // namespace prompt

// Tokens and messages of a conversation, where known.
struct TokenCount {
  std::optional<runtime::Usage> usage;    // usage of the last model call
  std::uint64_t limit = 0;                // context limit of the model, in tokens; 0: unknown
  std::optional<std::uint64_t> messages;  // without system messages
  std::uint64_t max_messages = 0;         // 0: unknown
};

// Parley's own member of a call that a person decides about: the key of its interaction.
inline constexpr std::string_view kInteractionMember = "parley.interaction";

// A tool call that is sent to its client.
struct ToolRequest {
  std::string_view call_id;
  std::string_view name;
  std::string_view arguments;  // JSON text
  bool of_client = false;      // executed by the client, not only approved
  // JSON of Parley's own member runtime::kExplanationMember; empty: none.
  std::string_view explanation = {};
  std::string_view interaction = {};  // for kInteractionMember; empty: not told
};

// A message of a client, as stored in its event.
struct ChatRequest {
  std::string request_id;
  std::string run_id;
  bool is_order = false;  // a command: /compact
  std::string content;
  std::vector<std::string> attachments;  // their names
  std::string continues;                 // run whose conversation is continued; empty: a new one
  std::string replaces;                  // request that this one replaces; empty: none
};

// Receiver of the frames of a chat session, in order. Strings must be UTF-8.
class ChatFrames {
 public:
  using More = std::function<void(core::JsonWriter& data)>;

  ChatFrames() = default;
  ChatFrames(const ChatFrames&) = delete;
  ChatFrames& operator=(const ChatFrames&) = delete;
  virtual ~ChatFrames() = default;

  virtual Generation generation() const = 0;
  // Sets time and number of the event to which the next frames belong (0: no event).
  virtual void set_place(core::WallTime at, std::uint64_t seq) = 0;
  // `more` writes further members of `data`.
  virtual void prompt(std::string_view request_id, std::string_view type, std::string_view message,
                      const More& more) = 0;
  virtual void user_message(const ChatRequest& request) = 0;
  virtual void stream(std::string_view request_id, std::string_view content) = 0;
  // Tokens are sent to the second generation only.
  virtual void complete(std::string_view request_id, const TokenCount& tokens) = 0;
  virtual void token_usage(std::string_view request_id, const TokenCount& tokens) = 0;
  virtual void tool_request(std::string_view request_id, const ToolRequest& request) = 0;

  void prompt(std::string_view request_id, std::string_view type, std::string_view message) {
    prompt(request_id, type, message, [](core::JsonWriter& /*data*/) {});
  }
};

// Sends each frame as one text message.
class FrameWriter final : public ChatFrames {
 public:
  using Send = std::function<void(std::string_view frame)>;
  using ChatFrames::prompt;

  FrameWriter(std::string session_code, Send send)
      : session_code_(std::move(session_code)), send_(std::move(send)) {}

  Generation generation() const override { return generation_; }
  void set_generation(Generation generation) { generation_ = generation; }
  void set_place(core::WallTime at, std::uint64_t seq) override {
    at_ = at;
    seq_ = seq;
  }

  void pong(std::string_view request_id);
  void prompt(std::string_view request_id, std::string_view type, std::string_view message,
              const More& more) override;
  void user_message(const ChatRequest& request) override;
  void stream(std::string_view request_id, std::string_view content) override;
  void complete(std::string_view request_id, const TokenCount& tokens) override;
  void token_usage(std::string_view request_id, const TokenCount& tokens) override;
  void tool_request(std::string_view request_id, const ToolRequest& request) override;

 private:
  void begin(core::JsonWriter& json, std::string_view type, std::string_view request_id) const;
  void begin_data(core::JsonWriter& json, std::string_view type) const;
  void counters(std::string_view type, std::string_view request_id, const TokenCount& tokens);
  void finish(core::JsonWriter& json);

  const std::string session_code_;
  const Send send_;
  Generation generation_ = Generation::first;
  core::WallTime at_;
  std::uint64_t seq_ = 0;
  std::string out_;  // reused for each frame
};

}  // namespace parley::chat
