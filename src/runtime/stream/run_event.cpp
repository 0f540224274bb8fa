// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/run_event.h"

#include <array>

namespace parley::runtime {
namespace {

using core::JsonWriter;

constexpr std::array<std::string_view, std::variant_size_v<RunEvent>> kNames = {
    "run_start",       "node_enter",  "node_exit",       "message_chunk",
    "thought_chunk",   "usage",       "values",          "updates",
    "custom",          "checkpoint",  "tot_expand",      "tot_evaluate",
    "tot_backtrack",   "got_plan",    "got_node_start",  "got_node_complete",
    "got_node_failed", "got_expand",  "tool_call_chunk", "tool_call",
    "tool_start",      "tool_output", "tool_end",        "tool_approval"};

void text(JsonWriter& json, std::string_view name, const std::string& value) {
  json.key(name).string(value);
}

void text(JsonWriter& json, std::string_view name, const std::optional<std::string>& value) {
  if (value) json.key(name).string(*value);
}

void texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& values) {
  json.key(name).begin_array();
  for (const std::string& value : values) json.string(value);
  json.end_array();
}

// Writes the payload of each type of event.
struct Members {
  JsonWriter& json;

  void operator()(const RunStart& it) const {
    text(json, "run_id", it.run_id);
    text(json, "message", it.message);
    text(json, "agent", it.agent);
  }
  void operator()(const NodeEnter& it) const { text(json, "id", it.id); }
  void operator()(const NodeExit& it) const {
    text(json, "id", it.id);
    json.key("result");
    if (!it.error) {
      json.string("Ok");
      return;
    }
    json.begin_object();
    text(json, "Err", *it.error);
    json.end_object();
  }
  void operator()(const MessageChunk& it) const {
    text(json, "content", it.content);
    text(json, "id", it.id);
  }
  void operator()(const ThoughtChunk& it) const {
    text(json, "content", it.content);
    text(json, "id", it.id);
  }
  void operator()(const Usage& it) const {
    json.key("prompt_tokens").number(it.prompt_tokens);
    json.key("completion_tokens").number(it.completion_tokens);
    json.key("total_tokens").number(it.total_tokens);
  }
  void operator()(const Values& it) const { json.key("state").raw(it.state); }
  void operator()(const Updates& it) const {
    text(json, "id", it.id);
    json.key("state").raw(it.state);
  }
  void operator()(const Custom& it) const { json.key("value").raw(it.value); }
  void operator()(const Checkpoint& it) const {
    text(json, "checkpoint_id", it.checkpoint_id);
    text(json, "timestamp", it.timestamp);
    json.key("step").number(it.step);
    json.key("state").raw(it.state);
    text(json, "thread_id", it.thread_id);
    text(json, "checkpoint_ns", it.checkpoint_ns);
    text(json, "next", it.next);
  }
  void operator()(const TotExpand& it) const { texts(json, "candidates", it.candidates); }
  void operator()(const TotEvaluate& it) const {
    json.key("chosen").number(it.chosen);
    json.key("scores").begin_array();
    for (const double score : it.scores) json.number(score);
    json.end_array();
  }
  void operator()(const TotBacktrack& it) const {
    text(json, "reason", it.reason);
    json.key("to_depth").number(it.to_depth);
  }
  void operator()(const GotPlan& it) const {
    json.key("node_count").number(it.node_count);
    json.key("edge_count").number(it.edge_count);
    texts(json, "node_ids", it.node_ids);
  }
  void operator()(const GotNodeStart& it) const { text(json, "id", it.id); }
  void operator()(const GotNodeComplete& it) const {
    text(json, "id", it.id);
    text(json, "result_summary", it.result_summary);
  }
  void operator()(const GotNodeFailed& it) const {
    text(json, "id", it.id);
    text(json, "error", it.error);
  }
  void operator()(const GotExpand& it) const {
    text(json, "node_id", it.node_id);
    json.key("nodes_added").number(it.nodes_added);
    json.key("edges_added").number(it.edges_added);
  }
  void operator()(const ToolCallChunk& it) const {
    text(json, "call_id", it.call_id);
    text(json, "name", it.name);
    text(json, "arguments_delta", it.arguments_delta);
  }
  void operator()(const ToolCallMade& it) const {
    text(json, "call_id", it.call_id);
    text(json, "name", it.name);
    json.key("arguments").raw(it.arguments);
  }
  void operator()(const ToolStart& it) const {
    text(json, "call_id", it.call_id);
    text(json, "name", it.name);
  }
  void operator()(const ToolOutput& it) const {
    text(json, "call_id", it.call_id);
    text(json, "name", it.name);
    text(json, "content", it.content);
  }
  void operator()(const ToolEnd& it) const {
    text(json, "call_id", it.call_id);
    text(json, "name", it.name);
    text(json, "result", it.result);
    json.key("is_error").boolean(it.is_error);
    text(json, "raw_result", it.raw_result);
  }
  void operator()(const ToolApproval& it) const {
    text(json, "call_id", it.call_id);
    text(json, "name", it.name);
    json.key("arguments").raw(it.arguments);
    if (!it.explanation.empty()) json.key(kExplanationMember).raw(it.explanation);
  }
};

// Usual size of an event without its long part, in bytes: names, quotes, ids and short text.
constexpr std::size_t kUsualBytes = 128;

// Size of the long part of an event, in bytes; 0 if it has none.
std::size_t long_part(const RunEvent& event) {
  if (const auto* chunk = std::get_if<MessageChunk>(&event)) return chunk->content.size();
  if (const auto* chunk = std::get_if<ThoughtChunk>(&event)) return chunk->content.size();
  if (const auto* output = std::get_if<ToolOutput>(&event)) return output->content.size();
  if (const auto* updates = std::get_if<Updates>(&event)) return updates->state.size();
  if (const auto* checkpoint = std::get_if<Checkpoint>(&event)) {
    return checkpoint->state.size() + kUsualBytes;
  }
  return 0;
}

}  // namespace

void add_usage(std::optional<Usage>& total, const Usage& usage) {
  if (!total) total.emplace();
  add_usage(*total, usage);
}

void add_usage(Usage& total, const Usage& usage) {
  total.prompt_tokens += usage.prompt_tokens;
  total.completion_tokens += usage.completion_tokens;
  total.total_tokens += usage.total_tokens;
}

std::optional<Usage> usage_in(const RunEvent& event) {
  if (const auto* own = std::get_if<Usage>(&event)) return *own;
  const auto* custom = std::get_if<Custom>(&event);
  return custom == nullptr ? std::nullopt : custom->usage;
}

std::string_view type_name(const RunEvent& event) { return kNames.at(event.index()); }

void write_members(JsonWriter& json, const RunEvent& event) {
  json.key("type").string(type_name(event));
  std::visit(Members{json}, event);
}

std::string stored_payload(const RunEvent& event, std::string_view node_id) {
  std::string out;
  out.reserve(kUsualBytes + long_part(event));
  JsonWriter json(out);
  json.begin_object();
  write_members(json, event);
  if (!std::holds_alternative<GotExpand>(event)) json.key("node_id").string(node_id);
  json.end_object();
  return out;
}

}  // namespace parley::runtime
