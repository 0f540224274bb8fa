// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dialects/external_agent/message_kind.h"

// The messages that the relay writes itself (contract sections 1.1, 1.3, 2.2).
namespace parley::external_agent {

namespace error_code {
inline constexpr std::string_view kInvalidMessage = "INVALID_MESSAGE";
inline constexpr std::string_view kSessionNotActive = "SESSION_NOT_ACTIVE";
inline constexpr std::string_view kInvalidParams = "INVALID_PARAMS";
inline constexpr std::string_view kToolExecutionFailed = "TOOL_EXECUTION_FAILED";
}  // namespace error_code

// Texts that clients and tests compare with.
namespace text {
inline constexpr std::string_view kNotAMessage =
    "Message must be valid JSON with a string \"type\".";
inline constexpr std::string_view kJoinRole =
    "relay.join payload.role must be \"host\" or \"agent\".";
inline constexpr std::string_view kJoinFirst = "You must send relay.join before other messages.";
inline constexpr std::string_view kNoHost = "No active host connection for this session.";
inline constexpr std::string_view kHostReplaced = "Host connection replaced by a newer host.";
inline constexpr std::string_view kOtherHost = "Another host is active in this session.";
inline constexpr std::string_view kStartFirst = "Send session.start before tool calls.";
inline constexpr std::string_view kNoStudy = "No study session is open.";
inline constexpr std::string_view kSessionId =
    "relay.join payload.sessionId must be 1 to 64 of the characters A-Z, a-z, 0-9, \".\", \"_\" "
    "and "
    "\"-\".";
inline constexpr std::string_view kPayloadObject = "Message payload must be an object.";
inline constexpr std::string_view kTooManyFields =
    "Message and payload may have at most 1024 members each.";
inline constexpr std::string_view kLongId = "Message id and replyTo may have at most 1024 bytes.";
inline constexpr std::string_view kNotUtf8 = "Message must be UTF-8.";
inline constexpr std::string_view kReason = "tool.call requires a non-empty payload.reason.";
}  // namespace text

struct RelayError {
  std::string_view code;
  std::string_view message;
};

// relay.hello, as it is sent on connect.
std::string_view hello_frame();

// Each function appends one whole message. `reply_to` is raw JSON; empty: absent.
void append_error(std::string& out, RelayError error, std::string_view reply_to);
void append_joined(std::string& out, RelayRole role, std::string_view session,
                   std::string_view client_name, std::string_view reply_to);
void append_session_ended(std::string& out, std::string_view reply_to, std::string_view payload);
void append_session_ended_payload(std::string& out, std::string_view session,
                                  std::string_view log_file, bool state_reset);

struct AgentName {
  std::string_view id;
  std::string_view name;
};
void append_presence(std::string& out, std::string_view session, bool host_active,
                     const std::vector<AgentName>& agents, bool full_history);

}  // namespace parley::external_agent
