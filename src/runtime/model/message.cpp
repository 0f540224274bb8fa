// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/message.h"

#include <simdjson.h>

#include <optional>
#include <utility>

namespace parley::model {
namespace {

using simdjson::dom::element;

constexpr std::string_view kPdf = "application/pdf";
constexpr std::string_view kAnyVideo = "video/*";

// --- writing ---------------------------------------------------------------------------------

void write_member(core::JsonWriter& json, std::string_view name, std::string_view value) {
  if (!value.empty()) json.key(name).string(value);
}

bool is_video(const Part& part) { return part.media_type.starts_with("video/"); }

std::string_view part_type(const Part& part) {
  switch (part.type) {
    case Part::Type::text:
      return "text";
    case Part::Type::image_url:
      return "image_url";
    case Part::Type::image_base64:
      return "image_base64";
    case Part::Type::audio_base64:
      return "audio_base64";
    case Part::Type::file:
      break;
  }
  if (!part.name.empty()) return "file";
  if (part.media_type == kPdf) return part.url.empty() ? "pdf_base64" : "pdf_url";
  if (is_video(part)) return part.url.empty() ? "video_base64" : "video_url";
  return "file";
}

void write_part(core::JsonWriter& json, const Part& part) {
  const std::string_view type = part_type(part);
  json.begin_object();
  json.key("type").string(type);
  if (type == "text") {
    json.key("text").string(part.text);
  } else if (type == "file") {
    const bool is_address = part.url.find("://") != std::string::npos;
    write_member(json, is_address ? "url" : "file_id", part.url);
    write_member(json, "file_data", part.data);
    write_member(json, "filename", part.name);
    write_member(json, "media_type", part.media_type);
  } else {
    write_member(json, "url", part.url);
    if (part.media_type != kPdf && part.media_type != kAnyVideo) {
      write_member(json, "media_type", part.media_type);
    }
    write_member(json, "data", part.data);
    write_member(json, "detail", part.detail);
  }
  json.end_object();
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

// Missing and null are empty; any other kind than a string is nothing.
std::optional<std::string> text_member(const element& object, std::string_view name) {
  element value;
  if (object[name].get(value) != simdjson::SUCCESS || value.is_null()) return std::string();
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

// A string as it is, anything else as its JSON text.
std::string text_or_json(const element& value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return std::string(text);
  return value.is_null() ? std::string() : std::string(simdjson::minify(value));
}

core::Result<Message> lost(const char* what) {
  return core::fail(core::Code::data_loss, std::string("A message cannot be read: ") + what + ".",
                    "messages");
}

struct PartKind {
  std::string_view name;
  Part::Type type;
  std::string_view media_type;  // where the part itself names none
};

constexpr PartKind kPartKinds[] = {
    {"text", Part::Type::text, ""},
    {"image_url", Part::Type::image_url, ""},
    {"image_base64", Part::Type::image_base64, ""},
    {"audio_base64", Part::Type::audio_base64, ""},
    {"video_url", Part::Type::file, kAnyVideo},
    {"video_base64", Part::Type::file, kAnyVideo},
    {"pdf_url", Part::Type::file, kPdf},
    {"pdf_base64", Part::Type::file, kPdf},
    {"file", Part::Type::file, ""},
};

const PartKind* part_kind(std::string_view name) {
  for (const PartKind& kind : kPartKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

// The first of two names that the part has.
std::optional<std::string> either(const element& json, std::string_view first,
                                  std::string_view second) {
  std::optional<std::string> value = text_member(json, first);
  if (!value || !value->empty()) return value;
  return text_member(json, second);
}

std::optional<Part> read_part(const element& json) {
  if (!json.is_object()) return std::nullopt;
  const std::optional<std::string> type = text_member(json, "type");
  const PartKind* kind = type ? part_kind(*type) : nullptr;
  if (kind == nullptr) return std::nullopt;
  const auto text = text_member(json, "text");
  const auto url = either(json, "url", "file_id");
  const auto media_type = text_member(json, "media_type");
  const auto data = either(json, "data", "file_data");
  const auto name = text_member(json, "filename");
  const auto detail = text_member(json, "detail");
  if (!text || !url || !media_type || !data || !name || !detail) return std::nullopt;
  Part part{kind->type, *text, *url, *media_type, *data, *name, *detail};
  if (part.media_type.empty()) part.media_type = kind->media_type;
  return part;
}

std::optional<Message> read_user(const element& json) {
  std::string_view text;
  if (json.get(text) == simdjson::SUCCESS) return Message::user(std::string(text));
  simdjson::dom::array array;
  if (json.get(array) != simdjson::SUCCESS) return std::nullopt;
  std::vector<Part> parts;
  for (const element& item : array) {
    std::optional<Part> part = read_part(item);
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
  if (!content || !reasoning) return lost("a member of Assistant is no text");
  Message message = Message::assistant(*content);
  message.reasoning = *reasoning;
  element calls;
  if (json["tool_calls"].get(calls) != simdjson::SUCCESS || calls.is_null()) return message;
  simdjson::dom::array array;
  if (calls.get(array) != simdjson::SUCCESS) return lost("tool_calls is no array");
  for (const element& item : array) {
    std::optional<ToolCall> call = read_call(item);
    if (!call) return lost("an entry of tool_calls is no call");
    message.tool_calls.push_back(std::move(*call));
  }
  return message;
}

core::Result<Message> read_tool(const element& json) {
  if (!json.is_object()) return lost("Tool is no object");
  const auto id = text_member(json, "tool_call_id");
  if (!id) return lost("tool_call_id is no text");
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
  if (json.get(object) != simdjson::SUCCESS) return lost("it is no object");
  if (object.size() != 1) return lost("it has not exactly one member");
  const simdjson::dom::key_value_pair member = *object.begin();
  if (member.key == "System") {
    std::string_view text;
    if (member.value.get(text) != simdjson::SUCCESS) return lost("System is no text");
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
  if (parser.parse(padded).get(root) != simdjson::SUCCESS) return lost("it is no JSON");
  return message_from_state_form(root);
}

}  // namespace parley::model
