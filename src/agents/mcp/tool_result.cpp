// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/tool_result.h"

#include "base/core/base64.h"

namespace parley::mcp {
namespace {

std::string meta_of(const AssistantReply& reply, const std::string& name) {
  const auto found = reply.meta.find(name);
  return found == reply.meta.end() ? std::string() : found->second;
}

void write_text(core::JsonWriter& json, std::string_view text) {
  json.begin_object().key("type").string("text").key("text").string(text).end_object();
}

void write_blob(core::JsonWriter& json, std::string_view uri, std::string_view mime_type,
                std::string_view base64) {
  json.begin_object().key("type").string("resource").key("resource").begin_object();
  json.key("uri").string(uri);
  if (!mime_type.empty()) json.key("mimeType").string(mime_type);
  json.key("blob").string(base64).end_object().end_object();
}

void write_media(core::JsonWriter& json, std::string_view type, const core::Content& content,
                 std::size_t index) {
  const std::string data = core::base64_encode(content.data);
  const std::string mime =
      content.mime_type.empty() ? "application/octet-stream" : content.mime_type;
  json.begin_object().key("type").string(type).key("data").string(data);
  json.key("mimeType").string(mime).end_object();
  write_blob(json, "attachment://" + std::string(type) + "/" + std::to_string(index), mime, data);
}

void write_content(core::JsonWriter& json, const core::Content& content, std::size_t index) {
  switch (content.type) {
    case core::Content::Type::text:
      return write_text(json, content.text);
    case core::Content::Type::image:
      return write_media(json, "image", content, index);
    case core::Content::Type::audio:
      return write_media(json, "audio", content, index);
    case core::Content::Type::resource:
      if (content.data.empty()) return write_text(json, "Resource: " + content.uri);
      return write_blob(json, content.uri, content.mime_type, core::base64_encode(content.data));
  }
}

}  // namespace

std::string error_sentence(const AssistantReply& reply) {
  const std::string error = meta_of(reply, "error");
  const std::string message = meta_of(reply, "message");
  std::string text;
  if (error == "timeout") {
    text = "Nobody answered in time";
  } else if (error == "cancelled") {
    text = "The request was cancelled";
  } else if (error == "no_clients") {
    text = "Nobody is connected to answer";
  } else if (error.empty()) {
    text = "The assistant server gave no answer";
  } else {
    text = "The assistant server answered with the error " + error;
  }
  return text + (message.empty() ? "." : ": " + message);
}

void write_tool_result(core::JsonWriter& json, const AssistantOutcome& outcome,
                       const std::vector<std::string>& notes) {
  const bool is_error = !outcome || outcome->is_error;
  json.key("content").begin_array();
  if (!outcome) {
    write_text(json, outcome.error().message);
  } else {
    for (std::size_t i = 0; i < outcome->contents.size(); ++i) {
      write_content(json, outcome->contents[i], i);
    }
    if (outcome->is_error && outcome->contents.empty()) write_text(json, error_sentence(*outcome));
  }
  for (const std::string& note : notes) write_text(json, note);
  json.end_array().key("isError").boolean(is_error);
}

std::string tool_result_meta(const AssistantOutcome& outcome) {
  if (!outcome || outcome->meta.empty()) return {};
  std::string members = "\"agentassistproto/meta\":";
  core::JsonWriter json(members);
  json.begin_object();
  for (const auto& [name, text] : outcome->meta) json.key(name).string(text);
  json.end_object();
  return members;
}

std::string tool_error(std::string_view text) {
  std::string result;
  core::JsonWriter json(result);
  json.begin_object().key("content").begin_array();
  write_text(json, text);
  json.end_array().key("isError").boolean(true).end_object();
  return result;
}

std::string plain_text(const AssistantReply& reply) {
  std::string out;
  for (const core::Content& content : reply.contents) {
    if (!out.empty()) out.push_back('\n');
    switch (content.type) {
      case core::Content::Type::text:
        out += content.text;
        break;
      case core::Content::Type::image:
        out += "[image: " + content.mime_type + "]";
        break;
      case core::Content::Type::audio:
        out += "[audio: " + content.mime_type + "]";
        break;
      case core::Content::Type::resource:
        out += "[file: " + content.uri + "]";
        break;
    }
  }
  return out;
}

}  // namespace parley::mcp
