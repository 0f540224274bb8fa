// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "runtime/model/model.h"

namespace parley::chat {

// The two generations of front ends (contract of the chat, section 0). They differ in the order of
// what the server sends, and in the form of timestamps.
enum class Generation : std::uint8_t {
  first,   // the protocol's text: one AGENT_COMPLETE, last
  second,  // one AGENT_COMPLETE a model call; COMPLETE or INTERRUPTED is last
};

enum class MessageType : std::uint8_t { user_message, user_order, tool_answer, interrupt, ping };

// The calls that an approval allows: this one, those of the session, all.
enum class Scope : std::uint8_t { once, session, always };

// AGENT_TOOL_CALL_RESPONSE. Name and arguments are only compared with the server's own record.
struct ToolAnswer {
  std::optional<std::string> call_id;
  std::string name;
  std::optional<std::string> arguments;
  bool allow = false;
  Scope scope = Scope::once;
  std::optional<bool> success;
  std::string result;
  std::string error;
};

// An element of multimodalContents.
struct Attachment {
  std::string text;  // for the model: a text itself, else a line that names the attachment
  std::string name;  // of a file; empty: none
  std::optional<model::Part> media;  // for models that take it
};

// What a client sends, read and checked. Members that the type does not have are empty.
struct ClientMessage {
  MessageType type = MessageType::ping;
  std::string session_code;
  std::string request_id;
  std::string content;
  std::string agent;
  std::vector<model::ToolSpec> tools;
  std::vector<Attachment> attachments;
  std::string workflow;          // JSON text; empty: none
  bool has_workflow = false;     // the client tells what is open, be it nothing
  std::string workflow_id;       // of a saved one; empty: none
  std::string workflow_problem;  // why the one of this id is not open; empty: nothing
  std::string replaces;          // request that is said anew; empty: none
  ToolAnswer answer;
  std::optional<Generation> generation;  // as far as the message shows it
};

struct MessageFault {
  std::string request_id;  // empty: it cannot be read
  std::string message;     // a sentence
};

inline constexpr std::size_t kMaxRequestIdBytes = 128;
inline constexpr std::size_t kMaxWorkflowBytes = 8U << 20U;
inline constexpr std::size_t kMaxAttachments = 64;

// Unknown members are ignored; `data` may be missing where nothing of it is needed.
tl::expected<ClientMessage, MessageFault> read_message(std::string_view json);

// "USER_MESSAGE", ...: as in the table of rights.
std::string_view type_name(MessageType type);

}  // namespace parley::chat
