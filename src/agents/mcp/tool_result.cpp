// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/tool_result.h"

#include "base/core/base64.h"

namespace parley::mcp {
namespace {

// McpResultContent.type
constexpr int kText = 1;
constexpr int kImage = 2;
constexpr int kAudio = 3;
constexpr int kResource = 4;

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

// Checks the base64, because clients reject the whole answer for a fault in one content.
void write_media(core::JsonWriter& json, std::string_view type, const std::string& data,
                 const std::string& mime_type, std::size_t index) {
  if (data.empty() || !core::is_base64(data)) {
    write_text(json, "The " + std::string(type) + " (" + mime_type +
                         ") that belongs here is not valid base64 and was left out.");
    return;
  }
  const std::string mime = mime_type.empty() ? "application/octet-stream" : mime_type;
  json.begin_object().key("type").string(type).key("data").string(data);
  json.key("mimeType").string(mime).end_object();
  write_blob(json, "attachment://" + std::string(type) + "/" + std::to_string(index), mime, data);
}

void write_content(core::JsonWriter& json, const agentassistproto::McpResultContent& content,
                   std::size_t index) {
  switch (content.type()) {
    case kText:
      write_text(json, content.text().text());
      return;
    case kImage:
      write_media(json, "image", content.image().data(), content.image().mime_type(), index);
      return;
    case kAudio:
      write_media(json, "audio", content.audio().data(), content.audio().mime_type(), index);
      return;
    case kResource: {
      const auto& resource = content.embedded_resource();
      if (resource.data().empty()) {
        write_text(json, "Resource: " + resource.uri());
      } else {
        write_blob(json, resource.uri(), resource.mime_type(),
                   core::base64_encode(resource.data()));
      }
      return;
    }
    default:
      write_text(json, "A content of an unknown type (" + std::to_string(content.type()) +
                           ") was left out.");
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

AssistantReply text_reply_of(std::string_view text) {
  AssistantReply reply;
  agentassistproto::McpResultContent& content = reply.contents.emplace_back();
  content.set_type(kText);
  content.mutable_text()->set_type("text");
  content.mutable_text()->set_text(std::string(text));
  return reply;
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
  for (const auto& content : reply.contents) {
    if (!out.empty()) out.push_back('\n');
    if (content.type() == kText) out += content.text().text();
    if (content.type() == kImage) out += "[image: " + content.image().mime_type() + "]";
    if (content.type() == kAudio) out += "[audio: " + content.audio().mime_type() + "]";
    if (content.type() == kResource) out += "[file: " + content.embedded_resource().uri() + "]";
  }
  return out;
}

}  // namespace parley::mcp
