// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/chat_frames.h"

#include "base/core/json_writer.h"

namespace parley::chat {
namespace {

// Capacity of the frame buffer, in bytes, above which it is freed after its frame.
constexpr std::size_t kBufferKept = 64U << 10U;

}  // namespace

void FrameWriter::begin(core::JsonWriter& json, std::string_view type,
                        std::string_view request_id) const {
  json.begin_object().key("type").string(type).key("sessionCode").string(session_code_);
  if (!request_id.empty()) json.key("requestId").string(request_id);
}

void FrameWriter::begin_data(core::JsonWriter& json, std::string_view type) const {
  json.key("data").begin_object();
  if (generation_ == Generation::second) json.key("type").string(type);
}

void FrameWriter::finish(core::JsonWriter& json) {
  const std::int64_t at = core::to_unix_ms(at_);
  json.key("timestamp");
  if (generation_ == Generation::second) {
    json.string(std::to_string(at));
  } else {
    json.number(at);
  }
  if (seq_ > 0) json.key("seq").number(seq_);
  json.end_object();
  send_(out_);
  out_.clear();
  if (out_.capacity() > kBufferKept) out_ = std::string();
}

void FrameWriter::pong(std::string_view request_id) {
  core::JsonWriter json(out_);
  begin(json, "PONG", request_id);
  finish(json);
}

void FrameWriter::prompt(std::string_view request_id, std::string_view type,
                         std::string_view message, const More& more) {
  core::JsonWriter json(out_);
  begin(json, "AGENT_PROMPT", request_id);
  begin_data(json, "AGENT_PROMPT");
  json.key("promptType").string(type).key("message").string(message);
  more(json);
  json.end_object();
  finish(json);
}

void FrameWriter::user_message(const ChatRequest& request) {
  const std::string_view type = request.is_order ? "USER_ORDER" : "USER_MESSAGE";
  core::JsonWriter json(out_);
  begin(json, type, request.request_id);
  json.key("content").string(request.content);
  begin_data(json, type);
  json.key("attachments").begin_array();
  for (const std::string& name : request.attachments) {
    json.begin_object().key("name").string(name).end_object();
  }
  json.end_array().end_object();
  finish(json);
}

void FrameWriter::stream(std::string_view request_id, std::string_view content) {
  core::JsonWriter json(out_);
  begin(json, "AGENT_STREAM", request_id);
  json.key("content").string(content);
  finish(json);
}

void FrameWriter::complete(std::string_view request_id, const TokenCount& tokens) {
  counters("AGENT_COMPLETE", request_id, tokens);
}

void FrameWriter::token_usage(std::string_view request_id, const TokenCount& tokens) {
  counters("AGENT_TOKEN_USAGE", request_id, tokens);
}

void FrameWriter::counters(std::string_view type, std::string_view request_id,
                           const TokenCount& tokens) {
  core::JsonWriter json(out_);
  begin(json, type, request_id);
  begin_data(json, type);
  if (generation_ == Generation::second) {
    if (tokens.limit > 0) json.key("maxTokens").number(tokens.limit);
    if (tokens.max_messages > 0) json.key("maxMessages").number(tokens.max_messages);
    if (tokens.messages) json.key("messageCount").number(*tokens.messages);
    if (tokens.usage) {
      json.key("inputTokens").number(tokens.usage->prompt_tokens);
      json.key("outputTokens").number(tokens.usage->completion_tokens);
      json.key("totalTokens").number(tokens.usage->total_tokens);
    }
  }
  json.end_object();
  finish(json);
}

void FrameWriter::tool_request(std::string_view request_id, const ToolRequest& request) {
  core::JsonWriter json(out_);
  begin(json, "AGENT_TOOL_CALL_REQUEST", request_id);
  json.key("content").string(request.name);
  begin_data(json, "AGENT_TOOL_CALL_REQUEST");
  json.key("toolCallId").string(request.call_id).key("toolName").string(request.name);
  json.key("toolArgs").string(request.arguments);
  json.key("isClientTool").boolean(request.of_client);
  // Existing pages of the second generation allow a call of the server by themselves unless this is
  // true.
  json.key("isMcpTool").boolean(!request.of_client);
  if (!request.explanation.empty()) {
    json.key(runtime::kExplanationMember).raw(request.explanation);
  }
  if (!request.interaction.empty()) json.key(kInteractionMember).string(request.interaction);
  json.end_object();
  finish(json);
}

}  // namespace parley::chat
