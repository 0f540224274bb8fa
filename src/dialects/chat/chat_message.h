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
// frames and in the form of timestamps.
enum class Generation : std::uint8_t {
  first,   // the protocol's text: one AGENT_COMPLETE, last
  second,  // one AGENT_COMPLETE per model call; COMPLETE or INTERRUPTED is last
};

enum class MessageType : std::uint8_t { user_message, user_order, tool_answer, interrupt, ping };

// Calls that an approval covers: this one, those of the session, all.
enum class Scope : std::uint8_t { once, session, always };

// AGENT_TOOL_CALL_RESPONSE. Name and arguments are only compared with the server's record.
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
  std::string text;  // for the model: the text, or a line that names another attachment
  std::string name;  // name of a file; empty: none
  std::optional<model::Part> media;  // for models that accept this kind of media
  // Stored name of an upload of the same person that the client names by its address, as front ends
  // do with large files; empty: none. attach_uploads() reads it.
  std::string upload = {};
  model::Part::Type upload_part = model::Part::Type::file;
};

// A message of a client, read and checked. Members that its type does not have are empty.
struct ClientMessage {
  MessageType type = MessageType::ping;
  std::string session_code;
  std::string request_id;
  std::string content;
  std::string agent;
  std::vector<model::ToolSpec> tools;
  std::vector<Attachment> attachments;
  std::string workflow;          // JSON text; empty: none
  bool has_workflow = false;     // the message states the open workflow, or that none is open
  std::string workflow_id;       // id of a saved workflow; empty: none
  std::string workflow_problem;  // reason why that workflow could not be opened; empty: none
  std::string replaces;          // request that this message replaces; empty: none
  ToolAnswer answer;
  std::optional<Generation> generation;  // std::nullopt: the message does not reveal it
};

struct MessageFault {
  std::string request_id;   // empty: unreadable
  std::string message;      // a sentence for a person
  bool begins_run = false;  // of a USER_MESSAGE or USER_ORDER: its client waits for an end
};

// Path of an upload, before its stored name.
inline constexpr std::string_view kDownloadPath = "/api/v1/files/download/";

// Limit (Chats): requestId. Reached: ERROR.
inline constexpr std::size_t kMaxRequestIdBytes = 128;
// Limit (Chats): workflow. Reached: ERROR.
inline constexpr std::size_t kMaxWorkflowBytes = 8U << 20U;
inline constexpr std::size_t kMaxWorkflowDepth = 64;  // nesting of its JSON
// Limit (Chats): attachments. Reached: ERROR.
inline constexpr std::size_t kMaxAttachments = 64;

// Reads a message. Unknown members are ignored; `data` may be missing if the type needs none of its
// members.
tl::expected<ClientMessage, MessageFault> read_message(std::string_view json);

// The words of the person; files are named.
std::string words_of(const ClientMessage& message);

// "USER_MESSAGE", ...: the names in the table of rights.
std::string_view type_name(MessageType type);

}  // namespace parley::chat
