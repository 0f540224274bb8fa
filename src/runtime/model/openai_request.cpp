// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/openai_request.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>
#include <string_view>
#include <vector>

#include "base/core/json_text.h"
#include "base/core/json_writer.h"
#include "base/core/utf8.h"

namespace parley::model {
namespace {

using core::JsonWriter;

constexpr std::string_view kNoResult = "There is no result: the call was interrupted.";

bool is_json_object(const std::string& text) {
  boost::system::error_code problem;
  const boost::json::value parsed = boost::json::parse(text, problem);
  return !problem && parsed.is_object();
}

// As is_json_object(), for a tool's schema. Builds no tree, because a request has dozens of
// schemas.
bool is_schema(const std::string& text) {
  constexpr std::size_t kMaxDepth = 32;
  std::vector<core::JsonField> fields;
  std::vector<core::JsonField> unused;
  return core::is_utf8(text) &&
         core::scan_object(text, kMaxDepth, {}, fields, unused) == core::ScanResult::ok;
}

std::string data_url(const Part& part, std::string_view otherwise) {
  const std::string type = part.media_type.empty() ? std::string(otherwise) : part.media_type;
  return "data:" + type + ";base64," + part.data;
}

void write_image(JsonWriter& json, const Part& part, const std::string& url) {
  json.key("type").string("image_url").key("image_url").begin_object();
  json.key("url").string(url);
  if (!part.detail.empty()) json.key("detail").string(part.detail);
  json.end_object();
}

// Writes the bytes, the provider's id, or the address of a file: a video as `video_url`, any other
// address in the place of the bytes, as those servers expect that accept addresses.
void write_file(JsonWriter& json, const Part& part) {
  const bool is_address = part.url.find("://") != std::string::npos;
  if (part.data.empty() && is_address && part.media_type.starts_with("video/")) {
    json.key("type").string("video_url").key("video_url").begin_object();
    json.key("url").string(part.url).end_object();
    return;
  }
  json.key("type").string("file").key("file").begin_object();
  if (part.data.empty() && !part.url.empty() && !is_address) {
    json.key("file_id").string(part.url).end_object();
    return;
  }
  json.key("filename").string(part.name.empty() ? "file" : part.name);
  json.key("file_data");
  json.string(part.data.empty() && is_address ? part.url
                                              : data_url(part, "application/octet-stream"));
  json.end_object();
}

void write_chat_part(JsonWriter& json, const Part& part) {
  json.begin_object();
  switch (part.type) {
    case Part::Type::text:
      json.key("type").string("text").key("text").string(part.text);
      break;
    case Part::Type::image_url:
      write_image(json, part, part.url);
      break;
    case Part::Type::image_base64:
      write_image(json, part, data_url(part, "image/png"));
      break;
    case Part::Type::audio_base64: {
      const bool wav = part.media_type.find("wav") != std::string::npos;
      json.key("type").string("input_audio").key("input_audio").begin_object();
      json.key("data").string(part.data).key("format").string(wav ? "wav" : "mp3").end_object();
      break;
    }
    case Part::Type::file:
      write_file(json, part);
      break;
  }
  json.end_object();
}

void write_text(JsonWriter& json, std::string_view role, std::string_view text) {
  json.begin_object();
  json.key("role").string(role).key("content").string(text);
  json.end_object();
}

void write_chat_user(JsonWriter& json, const Message& message) {
  const bool only_text =
      std::all_of(message.parts.begin(), message.parts.end(),
                  [](const Part& part) { return part.type == Part::Type::text; });
  if (only_text && (message.parts.empty() || !message.content.empty())) {
    return write_text(json, "user", message.content);
  }
  const bool has_text = std::any_of(message.parts.begin(), message.parts.end(),
                                    [](const Part& part) { return part.type == Part::Type::text; });
  json.begin_object().key("role").string("user").key("content").begin_array();
  if (!has_text && !message.content.empty()) {
    write_chat_part(json, Part{Part::Type::text, message.content, {}, {}, {}, {}, {}});
  }
  for (const Part& part : message.parts) write_chat_part(json, part);
  json.end_array().end_object();
}

void write_chat_assistant(JsonWriter& json, const Message& message) {
  // Some servers refuse a message without text and calls.
  if (message.content.empty() && message.tool_calls.empty()) return;
  json.begin_object().key("role").string("assistant").key("content");
  message.content.empty() ? json.null() : json.string(message.content);
  if (!message.tool_calls.empty()) {
    json.key("tool_calls").begin_array();
    for (const ToolCall& call : message.tool_calls) {
      json.begin_object().key("id").string(call.id).key("type").string("function");
      json.key("function").begin_object().key("name").string(call.name);
      // Servers parse the arguments again and would refuse the whole request if they are no JSON
      // object.
      json.key("arguments").string(is_json_object(call.arguments) ? call.arguments : "{}");
      json.end_object().end_object();
    }
    json.end_array();
  }
  json.end_object();
}

void write_result(JsonWriter& json, const std::string& call_id, std::string_view text) {
  json.begin_object().key("role").string("tool").key("tool_call_id").string(call_id);
  json.key("content").string(text).end_object();
}

void write_messages(JsonWriter& json, const std::vector<Message>& messages) {
  json.begin_array();
  for (auto at = messages.begin(); at != messages.end();) {
    const Message& message = *at++;
    if (message.role == Role::system) write_text(json, "system", message.content);
    if (message.role == Role::user) write_chat_user(json, message);
    if (message.role == Role::assistant) write_chat_assistant(json, message);
    if (message.role == Role::tool) {
      write_text(json, "user", "Result of a tool:\n" + message.content);
    }
    if (message.role != Role::assistant || message.tool_calls.empty()) continue;
    // The results that follow, in the order of the calls.
    const auto end = std::find_if(at, messages.end(),
                                  [](const Message& next) { return next.role != Role::tool; });
    const auto results = std::vector<Message>(at, end);
    std::vector<bool> used(results.size(), false);
    for (const ToolCall& call : message.tool_calls) {
      std::string_view text = kNoResult;
      for (std::size_t i = 0; i < results.size(); ++i) {
        if (used[i] || results[i].tool_call_id != call.id) continue;
        used[i] = true;
        text = results[i].content;
        break;
      }
      write_result(json, call.id, text);
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!used[i]) write_text(json, "user", "Result of a tool:\n" + results[i].content);
    }
    at = end;
  }
  json.end_array();
}

void write_tools(JsonWriter& json, const std::vector<ToolSpec>& tools) {
  json.key("tools").begin_array();
  for (const ToolSpec& tool : tools) {
    json.begin_object().key("type").string("function").key("function").begin_object();
    json.key("name").string(tool.name).key("description").string(tool.description);
    json.key("parameters");
    if (is_schema(tool.parameters)) {
      json.raw(tool.parameters);
    } else {
      json.begin_object().key("type").string("object").key("properties").begin_object();
      json.end_object().end_object();
    }
    json.end_object().end_object();
  }
  json.end_array();
}

}  // namespace

std::string openai_request(const std::string& model, const ModelRequest& request,
                           const OpenAiDialect& dialect) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("model").string(model).key("messages");
  write_messages(json, request.messages);
  json.key("stream").boolean(true);
  if (!dialect.no_stream_options) {
    json.key("stream_options").begin_object().key("include_usage").boolean(true).end_object();
  }
  if (!request.tools.empty()) write_tools(json, request.tools);
  if (request.temperature && !dialect.no_temperature) {
    json.key("temperature").number(*request.temperature);
  }
  if (request.max_tokens) {
    json.key(dialect.max_completion_tokens ? "max_completion_tokens" : "max_tokens");
    json.number(static_cast<std::uint64_t>(*request.max_tokens));
  }
  if (request.json_only && !dialect.no_response_format) {
    json.key("response_format").begin_object().key("type").string("json_object").end_object();
  }
  json.end_object();
  return out;
}

}  // namespace parley::model
