// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/export_form.h"

#include <array>

#include "base/core/json_writer.h"
#include "runtime/stream/event_reader.h"
#include "runtime/stream/frame.h"

namespace parley::runtime {
namespace {

using core::JsonWriter;
using namespace runtime;

struct KeyRow {
  std::string_view type;
  std::string_view key;
};

constexpr std::array<KeyRow, 25> kKeys = {{
    {"run_start", "RunStart"},
    {"node_enter", "TaskStart"},
    {"node_exit", "TaskEnd"},
    {"message_chunk", "Messages"},
    {"thought_chunk", "Messages"},
    {"thought_chunk", "ThoughtChunk"},  // in the protocol text only; read but not written
    {"usage", "Usage"},
    {"values", "Values"},
    {"updates", "Updates"},
    {"custom", "Custom"},
    {"checkpoint", "Checkpoint"},
    {"tot_expand", "TotExpand"},
    {"tot_evaluate", "TotEvaluate"},
    {"tot_backtrack", "TotBacktrack"},
    {"got_plan", "GotPlan"},
    {"got_node_start", "GotNodeStart"},
    {"got_node_complete", "GotNodeComplete"},
    {"got_node_failed", "GotNodeFailed"},
    {"got_expand", "GotExpand"},
    {"tool_call_chunk", "ToolCallChunk"},
    {"tool_call", "ToolCall"},
    {"tool_start", "ToolStart"},
    {"tool_output", "ToolOutput"},
    {"tool_end", "ToolEnd"},
    {"tool_approval", "ToolApproval"},
}};

// Writes the value of the key.
struct Inside {
  JsonWriter& json;

  void text(std::string_view name, std::string_view value) const { json.key(name).string(value); }
  void maybe(std::string_view name, const std::optional<std::string>& value) const {
    json.key(name);
    if (value) {
      json.string(*value);
    } else {
      json.null();
    }
  }
  void texts(std::string_view name, const std::vector<std::string>& values) const {
    json.key(name).begin_array();
    for (const std::string& value : values) json.string(value);
    json.end_array();
  }
  void nowhere() const { json.key("namespace").null(); }
  void chunk(std::string_view content, std::string_view kind, std::string_view node) const {
    json.key("chunk").begin_object();
    text("content", content);
    text("kind", kind);
    json.end_object();
    json.key("metadata").begin_object();
    text("loom_node", node);
    nowhere();
    json.end_object();
  }
  void call(const std::optional<std::string>& call_id, std::string_view name) const {
    maybe("call_id", call_id);
    text("name", name);
  }

  void operator()(const RunStart& it) const {
    maybe("run_id", it.run_id);
    maybe("message", it.message);
    maybe("agent", it.agent);
  }
  void operator()(const NodeEnter& it) const {
    text("node_id", it.id);
    nowhere();
  }
  void operator()(const NodeExit& it) const {
    text("node_id", it.id);
    json.key("result");
    if (it.error) {
      json.begin_object();
      text("Err", *it.error);
      json.end_object();
    } else {
      json.string("Ok");
    }
    nowhere();
  }
  void operator()(const MessageChunk& it) const { chunk(it.content, "Message", it.id); }
  void operator()(const ThoughtChunk& it) const { chunk(it.content, "Thinking", it.id); }
  void operator()(const Usage& it) const {
    json.key("prompt_tokens").number(it.prompt_tokens);
    json.key("completion_tokens").number(it.completion_tokens);
    json.key("total_tokens").number(it.total_tokens);
  }
  void operator()(const Values& /*it*/) const {}  // written by export_form()
  void operator()(const Updates& it) const {
    text("node_id", it.id);
    json.key("state").raw(it.state);
    nowhere();
  }
  void operator()(const Custom& /*it*/) const {}  // written by export_form()
  void operator()(const Checkpoint& it) const {
    text("checkpoint_id", it.checkpoint_id);
    text("timestamp", it.timestamp);
    json.key("step").number(it.step);
    json.key("state").raw(it.state);
    maybe("thread_id", it.thread_id);
    maybe("checkpoint_ns", it.checkpoint_ns);
    if (it.next) text("next", *it.next);
  }
  void operator()(const TotExpand& it) const { texts("candidates", it.candidates); }
  void operator()(const TotEvaluate& it) const {
    json.key("chosen").number(it.chosen);
    json.key("scores").begin_array();
    for (const double score : it.scores) json.number(score);
    json.end_array();
  }
  void operator()(const TotBacktrack& it) const {
    text("reason", it.reason);
    json.key("to_depth").number(it.to_depth);
  }
  void operator()(const GotPlan& it) const {
    json.key("node_count").number(it.node_count);
    json.key("edge_count").number(it.edge_count);
    texts("node_ids", it.node_ids);
  }
  void operator()(const GotNodeStart& it) const { text("node_id", it.id); }
  void operator()(const GotNodeComplete& it) const {
    text("node_id", it.id);
    text("result_summary", it.result_summary);
  }
  void operator()(const GotNodeFailed& it) const {
    text("node_id", it.id);
    text("error", it.error);
  }
  void operator()(const GotExpand& it) const {
    text("node_id", it.node_id);
    json.key("nodes_added").number(it.nodes_added);
    json.key("edges_added").number(it.edges_added);
  }
  void operator()(const ToolCallChunk& it) const {
    maybe("call_id", it.call_id);
    maybe("name", it.name);
    text("arguments_delta", it.arguments_delta);
  }
  void operator()(const ToolCallMade& it) const {
    call(it.call_id, it.name);
    json.key("arguments").raw(it.arguments);
  }
  void operator()(const ToolStart& it) const { call(it.call_id, it.name); }
  void operator()(const ToolOutput& it) const {
    call(it.call_id, it.name);
    text("content", it.content);
  }
  void operator()(const ToolEnd& it) const {
    call(it.call_id, it.name);
    text("result", it.result);
    json.key("is_error").boolean(it.is_error);
    if (it.raw_result) text("raw_result", *it.raw_result);
  }
  void operator()(const ToolApproval& it) const {
    call(it.call_id, it.name);
    json.key("arguments").raw(it.arguments);
  }
};

std::string reply_line(const Reply& reply) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("reply").string(reply.reply);
  if (reply.reasoning_content) json.key("reasoning_content").string(*reply.reasoning_content);
  if (reply.stop_reason) json.key("stop_reason").string(*reply.stop_reason);
  if (reply.error) json.key("error").string(*reply.error);
  if (reply.run_id) json.key("run_id").string(*reply.run_id);
  json.end_object();
  return out;
}

}  // namespace

std::string_view export_key_of(std::string_view type) {
  for (const KeyRow& row : kKeys) {
    if (row.type == type) return row.key;
  }
  return {};
}

std::string_view type_of_export_key(std::string_view key) {
  for (const KeyRow& row : kKeys) {
    if (row.key == key) return row.type;
  }
  return {};
}

std::string export_form(const RunEvent& event) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key(export_key_of(type_name(event)));
  if (const Values* values = std::get_if<Values>(&event)) {
    json.raw(values->state);
  } else if (const Custom* custom = std::get_if<Custom>(&event)) {
    json.raw(custom->value);
  } else {
    json.begin_object();
    std::visit(Inside{json}, event);
    json.end_object();
  }
  json.end_object();
  blank_controls(out);
  return out;
}

std::string export_form(const StreamLine& line) {
  if (const RunEvent* event = line.event()) return export_form(*event);
  if (const Reply* reply = line.reply()) return reply_line(*reply);
  return std::get<UnknownEvent>(line.body).json;
}

std::optional<std::string> export_of(const event::Event& event) {
  if (!is_frame(event.type)) return std::nullopt;
  EventReader reader;
  const auto [run, reply] = reader.read(event);
  if (run != nullptr) return export_form(*run);
  if (reply != nullptr) return reply_line(*reply);
  return std::nullopt;
}

}  // namespace parley::runtime
