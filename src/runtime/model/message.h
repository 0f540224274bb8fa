// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/json_writer.h"
#include "base/core/result.h"

namespace simdjson::dom {
class element;
}

namespace parley::model {

// A call of a tool, as a model wrote it.
struct ToolCall {
  std::string id;         // never empty in a complete reply: generated if the model sent none
  std::string name;       // as the model wrote it
  std::string arguments;  // as written; should be a JSON object
  bool operator==(const ToolCall&) const = default;
};

// One part of a person's message with media. Videos and PDF documents are files.
struct Part {
  enum class Type : std::uint8_t { text, image_url, image_base64, audio_base64, file };
  Type type = Type::text;
  std::string text;
  std::string url;  // of a file: its address, or the provider's id of it
  std::string media_type;
  std::string data;         // base64, as received
  std::string name;         // of a file
  std::string detail = {};  // of an image: the provider's level of detail
  bool operator==(const Part&) const = default;
};

enum class Role : std::uint8_t { system, user, assistant, tool };

struct Message {
  Role role = Role::user;
  std::string content;
  std::vector<Part> parts;           // of a user's message with media; `content` holds the text
  std::string reasoning;             // of an assistant
  std::vector<ToolCall> tool_calls;  // of an assistant
  std::string tool_call_id;          // of a tool's result
  bool is_error = false;             // of a tool's result; not sent to models
  bool operator==(const Message&) const = default;

  static Message system(std::string text);
  static Message user(std::string text);
  // `content` becomes the text parts, one per line; a single text part becomes a plain message.
  static Message user_with(std::vector<Part> parts);
  static Message assistant(std::string text);
  static Message tool(std::string call_id, std::string text, bool is_error = false);
};

// The form in a run's state (contract section 2.2): {"System":"..."}, {"User":...},
// {"Assistant":...}, {"Tool":{...}}.
void write_state_form(core::JsonWriter& json, const Message& message);
// Tolerates the variations of other writers: null members, unknown members, arguments that are an
// object, a tool result whose content is a list of parts. Errors: `data_loss`.
core::Result<Message> message_from_state_form(std::string_view json);
core::Result<Message> message_from_state_form(const simdjson::dom::element& json);

}  // namespace parley::model
