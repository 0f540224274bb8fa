// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/message.h"

#include <simdjson.h>

#include <optional>
#include <utility>

#include "runtime/model/message_parts.h"

namespace parley::model {
namespace {

using simdjson::dom::element;

// --- writing ---------------------------------------------------------------------------------

void write_member(core::JsonWriter& json, std::string_view name, std::string_view value) {
  if (!value.empty()) json.key(name).string(value);
}

void write_user(core::JsonWriter& json, const Message& message) {
  if (message.parts.empty()) {
    json.string(message.content);
    return;
  }
  json.begin_array();
  bool has_text = message.content.empty();
  for (const Part& part : message.parts) has_text = has_text || part.type == Part::Type::text;
  if (!has_text) {
    Part text;
    text.text = message.content;
    write_part(json, text);
  }
  for (const Part& part : message.parts) write_part(json, part);
  json.end_array();
}

void write_assistant(core::JsonWriter& json, const Message& message) {
  if (message.tool_calls.empty() && message.reasoning.empty()) {
    json.string(message.content);
    return;
  }
  json.begin_object();
  json.key("content").string(message.content);
  json.key("tool_calls").begin_array();
  for (const ToolCall& call : message.tool_calls) {
    json.begin_object();
    json.key("id").string(call.id);
    json.key("name").string(call.name);
    json.key("arguments").string(call.arguments);
    json.end_object();
  }
  json.end_array();
  write_member(json, "reasoning_content", message.reasoning);
  json.end_object();
}

void write_tool(core::JsonWriter& json, const Message& message) {
  json.begin_object();
  json.key("tool_call_id").string(message.tool_call_id);
  json.key("content").string(message.content);
  if (message.is_error) json.key("is_error").boolean(true);
  json.end_object();
}

// --- reading ---------------------------------------------------------------------------------

// Empty for a missing or null member; std::nullopt for any other type than a string.
std::optional<std::string> text_member(const element& object, std::string_view name) {
  element value;
  if (object[name].get(value) != simdjson::SUCCESS || value.is_null()) return std::string();
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

// A string as it is, any other value as JSON text.
std::string text_or_json(const element& value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return std::string(text);
  return value.is_null() ? std::string() : std::string(simdjson::minify(value));
}

core::Result<Message> lost(const char* what) {
  return core::fail(core::Code::data_loss, std::string("A message cannot be read: ") + what + ".",
                    "messages");
}

std::optional<Message> read_user(const element& json) {
  std::string_view text;
  if (json.get(text) == simdjson::SUCCESS) return Message::user(std::string(text));
  simdjson::dom::array array;
  if (json.get(array) != simdjson::SUCCESS) return std::nullopt;
  std::vector<Part> parts;
  for (const element& item : array) {
    core::Result<Part> part = read_part(item, "User", PartReading::tolerant);
    if (!part) return std::nullopt;
    parts.push_back(std::move(*part));
  }
  return Message::user_with(std::move(parts));
}

std::optional<ToolCall> read_call(const element& json) {
  if (!json.is_object()) return std::nullopt;
  const auto id = text_member(json, "id");
  const auto name = text_member(json, "name");
  if (!id || !name) return std::nullopt;
  ToolCall call{*id, *name, {}};
  element arguments;
  if (json["arguments"].get(arguments) == simdjson::SUCCESS) {
    call.arguments = text_or_json(arguments);
  }
  return call;
}

core::Result<Message> read_assistant(const element& json) {
  std::string_view text;
  if (json.get(text) == simdjson::SUCCESS) return Message::assistant(std::string(text));
  if (!json.is_object()) return lost("Assistant is neither text nor an object");
  const auto content = text_member(json, "content");
  const auto reasoning = text_member(json, "reasoning_content");
  if (!content || !reasoning) return lost("a member of Assistant is not a string");
  Message message = Message::assistant(*content);
  message.reasoning = *reasoning;
  element calls;
  if (json["tool_calls"].get(calls) != simdjson::SUCCESS || calls.is_null()) return message;
  simdjson::dom::array array;
  if (calls.get(array) != simdjson::SUCCESS) return lost("tool_calls is not an array");
  for (const element& item : array) {
    std::optional<ToolCall> call = read_call(item);
    if (!call) return lost("an entry of tool_calls is not a call");
    message.tool_calls.push_back(std::move(*call));
  }
  return message;
}

core::Result<Message> read_tool(const element& json) {
  if (!json.is_object()) return lost("Tool is not an object");
  const auto id = text_member(json, "tool_call_id");
  if (!id) return lost("tool_call_id is not a string");
  std::string content;
  element value;
  if (json["content"].get(value) == simdjson::SUCCESS) content = text_or_json(value);
  bool is_error = false;
  if (json["is_error"].get(is_error) != simdjson::SUCCESS) is_error = false;
  return Message::tool(*id, std::move(content), is_error);
}

}  // namespace

Message Message::system(std::string text) {
  Message message;
  message.role = Role::system;
  message.content = std::move(text);
  return message;
}

Message Message::user(std::string text) {
  Message message;
  message.content = std::move(text);
  return message;
}

Message Message::user_with(std::vector<Part> parts) {
  Message message;
  bool first = true;
  bool only_text = true;
  for (const Part& part : parts) {
    if (part.type != Part::Type::text) {
      only_text = false;
      continue;
    }
    if (!first) message.content += '\n';
    message.content += part.text;
    first = false;
  }
  if (!only_text || parts.size() > 1) message.parts = std::move(parts);
  return message;
}

Message Message::assistant(std::string text) {
  Message message;
  message.role = Role::assistant;
  message.content = std::move(text);
  return message;
}

Message Message::tool(std::string call_id, std::string text, bool failed) {
  Message message;
  message.role = Role::tool;
  message.content = std::move(text);
  message.tool_call_id = std::move(call_id);
  message.is_error = failed;
  return message;
}

void write_state_form(core::JsonWriter& json, const Message& message) {
  json.begin_object();
  switch (message.role) {
    case Role::system:
      json.key("System").string(message.content);
      break;
    case Role::user:
      json.key("User");
      write_user(json, message);
      break;
    case Role::assistant:
      json.key("Assistant");
      write_assistant(json, message);
      break;
    case Role::tool:
      json.key("Tool");
      write_tool(json, message);
      break;
  }
  json.end_object();
}

core::Result<Message> message_from_state_form(const element& json) {
  simdjson::dom::object object;
  if (json.get(object) != simdjson::SUCCESS) return lost("it is not an object");
  if (object.size() != 1) return lost("it must have exactly one member");
  const simdjson::dom::key_value_pair member = *object.begin();
  if (member.key == "System") {
    std::string_view text;
    if (member.value.get(text) != simdjson::SUCCESS) return lost("System is not a string");
    return Message::system(std::string(text));
  }
  if (member.key == "User") {
    std::optional<Message> message = read_user(member.value);
    if (!message) return lost("User is neither text nor an array of parts");
    return std::move(*message);
  }
  if (member.key == "Assistant") return read_assistant(member.value);
  if (member.key == "Tool") return read_tool(member.value);
  return lost("its role is unknown");
}

core::Result<Message> message_from_state_form(std::string_view json) {
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(json);
  element root;
  if (parser.parse(padded).get(root) != simdjson::SUCCESS) return lost("it is not JSON");
  return message_from_state_form(root);
}

}  // namespace parley::model
