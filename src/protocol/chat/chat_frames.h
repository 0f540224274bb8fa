// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "protocol/chat/chat_message.h"
#include "runtime/stream/run_event.h"

namespace parley::chat {

// The prompt types of both generations.
namespace prompt {
inline constexpr std::string_view kStarted = "STARTED";
inline constexpr std::string_view kThinking = "THINKING";
inline constexpr std::string_view kToolCalling = "TOOL_CALLING";
inline constexpr std::string_view kToolComplete = "TOOL_COMPLETE";
inline constexpr std::string_view kMessageBlock = "AGENT_MESSAGE_BLOCK";
inline constexpr std::string_view kTerminalStart = "TERMINAL_OUTPUT_START";
inline constexpr std::string_view kTerminalEnd = "TERMINAL_OUTPUT_END";
inline constexpr std::string_view kInterrupted = "INTERRUPTED";
inline constexpr std::string_view kError = "ERROR";
inline constexpr std::string_view kComplete = "COMPLETE";
}  // namespace prompt

// A tool call as its client is shown it.
struct ToolRequest {
  std::string_view call_id;
  std::string_view name;
  std::string_view arguments;  // JSON text
  bool of_client = false;      // executed by the client, not only allowed
};

// Writes what the server sends, as one text frame each. Strings must be UTF-8.
class FrameWriter {
 public:
  using Send = std::function<void(std::string_view frame)>;

  FrameWriter(std::string session_code, Send send)
      : session_code_(std::move(session_code)), send_(std::move(send)) {}

  Generation generation() const { return generation_; }
  void set_generation(Generation generation) { generation_ = generation; }
  // The frames that follow tell of something at this time, up to this event (0: of none).
  void set_place(core::WallTime at, std::uint64_t seq) {
    at_ = at;
    seq_ = seq;
  }

  void pong(std::string_view request_id);
  void prompt(std::string_view request_id, std::string_view type, std::string_view message);
  void stream(std::string_view request_id, std::string_view content);
  // With the tokens of a model call, where they are known (second generation only).
  void complete(std::string_view request_id, const std::optional<runtime::Usage>& usage);
  void tool_request(std::string_view request_id, const ToolRequest& request);

 private:
  void begin(core::JsonWriter& json, std::string_view type, std::string_view request_id) const;
  void begin_data(core::JsonWriter& json, std::string_view type) const;
  void finish(core::JsonWriter& json);

  const std::string session_code_;
  const Send send_;
  Generation generation_ = Generation::first;
  core::WallTime at_;
  std::uint64_t seq_ = 0;
  std::string out_;  // kept from frame to frame
};

}  // namespace parley::chat
