// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/loom/message_log.h"

#include <iterator>

#include "base/core/json_writer.h"

namespace parley::loom {
namespace {

using namespace runtime;

std::string with_calls(const std::string& text, const std::vector<ToolCallMade>& calls) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("content").string(text).key("tool_calls").begin_array();
  for (const ToolCallMade& call : calls) {
    json.begin_object().key("id").string(call.call_id.value_or(""));
    json.key("name").string(call.name).key("arguments").string(call.arguments).end_object();
  }
  json.end_array().end_object();
  return out;
}

std::string of_tool(const ToolEnd& end) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("tool_call_id").string(end.call_id.value_or(""));
  json.key("content").string(end.raw_result.value_or(end.result)).end_object();
  return out;
}

}  // namespace

const std::vector<std::string>& MessageLog::types() {
  static const std::vector<std::string> kTypes = {"run_start", "message_chunk", "tool_call",
                                                  "tool_end",  "node_exit",     "reply"};
  return kTypes;
}

void MessageLog::flush(const std::string& node_id) {
  const auto found = open_.find(node_id);
  if (found == open_.end()) return;
  const Message message = std::move(found->second);
  open_.erase(found);
  if (!message.calls.empty()) {
    made_.push_back({0, "assistant", with_calls(message.text, message.calls)});
  } else if (!message.text.empty()) {
    made_.push_back({0, "assistant", message.text});
  }
  last_said_ = message.text;
}

void MessageLog::flush_all() {
  while (!open_.empty()) flush(open_.begin()->first);
}

void MessageLog::take(const event::Event& event) {
  const auto line = parser_.parse(event.payload);
  if (!line) return;
  const std::string node_id = line->node_id.value_or("");
  if (const Reply* reply = line->reply()) {
    flush_all();
    if (!reply->reply.empty() && reply->reply != last_said_) {
      made_.push_back({0, "assistant", reply->reply});
    }
    last_said_.clear();
  } else if (const RunEvent* it = line->event()) {
    if (const auto* start = std::get_if<RunStart>(it)) {
      flush_all();
      last_said_.clear();
      if (start->message) made_.push_back({0, "user", *start->message});
    } else if (const auto* chunk = std::get_if<MessageChunk>(it)) {
      open_[node_id].text += chunk->content;
    } else if (const auto* call = std::get_if<ToolCallMade>(it)) {
      open_[node_id].calls.push_back(*call);
    } else if (const auto* end = std::get_if<ToolEnd>(it)) {
      // A call precedes its result in the log, even if both are events of one node.
      flush(node_id);
      made_.push_back({0, "tool", of_tool(*end)});
    } else if (std::holds_alternative<NodeExit>(*it)) {
      flush(node_id);
    }
  }
  if (!open_.empty()) return;
  // A reply that repeats the last text is dropped, so the position must stay before that text
  // until the reply comes.
  if (!last_said_.empty() && line->reply() == nullptr) return;
  kept_.insert(kept_.end(), std::make_move_iterator(made_.begin()),
               std::make_move_iterator(made_.end()));
  made_.clear();
  position_ = event.seq;
}

}  // namespace parley::loom
