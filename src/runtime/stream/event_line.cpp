// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/event_line.h"

#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/core/json_writer.h"

namespace parley::runtime {
namespace {

constexpr int kRun = 0;
constexpr int kNode = 1;
constexpr int kInNode = 2;
constexpr int kInTool = kSubAgentLevel;

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) {
    if (!out.empty() && !part.empty()) out += "  ";
    out += part;
  }
  return out;
}

template <typename Value>
std::string list_of(const std::vector<Value>& values) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  for (const Value& value : values) {
    if constexpr (std::is_same_v<Value, std::string>) {
      json.string(value);
    } else {
      json.number(value);
    }
  }
  json.end_array();
  return out;
}

std::string tokens_of(const Usage& it) {
  return std::to_string(it.prompt_tokens) + " + " + std::to_string(it.completion_tokens) + " = " +
         std::to_string(it.total_tokens) + " tokens";
}

struct LineOf {
  EventLine operator()(const RunStart& it) const {
    return {kRun, joined({it.run_id.value_or(""), it.agent.value_or(""), it.message.value_or("")})};
  }
  EventLine operator()(const NodeEnter& it) const { return {kNode, it.id}; }
  EventLine operator()(const NodeExit& it) const {
    return {kNode, joined({it.id, it.error.value_or("")}), "", it.error.has_value()};
  }
  EventLine operator()(const MessageChunk& it) const {
    return {kInNode, joined({it.id, it.content})};
  }
  EventLine operator()(const ThoughtChunk& it) const {
    return {kInNode, joined({it.id, it.content})};
  }
  EventLine operator()(const Usage& it) const { return {kInNode, tokens_of(it)}; }
  EventLine operator()(const Values& it) const { return {kNode, it.state}; }
  EventLine operator()(const Updates& it) const { return {kNode, joined({it.id, it.state})}; }
  EventLine operator()(const Custom& it) const { return {kInNode, it.value}; }
  EventLine operator()(const Checkpoint& it) const {
    const std::string next = it.next ? "next " + *it.next : "";
    return {kNode, joined({it.checkpoint_id, "step " + std::to_string(it.step), next})};
  }
  EventLine operator()(const TotExpand& it) const { return {kInNode, list_of(it.candidates)}; }
  EventLine operator()(const TotEvaluate& it) const {
    return {kInNode, "chosen " + std::to_string(it.chosen) + "  scores " + list_of(it.scores)};
  }
  EventLine operator()(const TotBacktrack& it) const {
    return {kInNode, joined({"back to depth " + std::to_string(it.to_depth), it.reason})};
  }
  EventLine operator()(const GotPlan& it) const {
    return {kInNode, "tasks " + list_of(it.node_ids) + "  edges " + std::to_string(it.edge_count)};
  }
  EventLine operator()(const GotNodeStart& it) const { return {kInNode, it.id}; }
  EventLine operator()(const GotNodeComplete& it) const {
    return {kInNode, joined({it.id, it.result_summary})};
  }
  EventLine operator()(const GotNodeFailed& it) const {
    return {kInNode, joined({it.id, it.error}), "", true};
  }
  EventLine operator()(const GotExpand& it) const {
    return {kInNode, joined({it.node_id, std::to_string(it.nodes_added) + " tasks more"})};
  }
  EventLine operator()(const ToolCallChunk& it) const {
    return {kInNode, joined({it.name.value_or(""), it.arguments_delta}), it.call_id.value_or("")};
  }
  EventLine operator()(const ToolCallMade& it) const {
    return {kInNode, it.name + ' ' + it.arguments, it.call_id.value_or("")};
  }
  EventLine operator()(const ToolStart& it) const {
    return {kInNode, it.name, it.call_id.value_or("")};
  }
  EventLine operator()(const ToolOutput& it) const {
    return {kInTool, joined({it.name, it.content}), it.call_id.value_or("")};
  }
  EventLine operator()(const ToolEnd& it) const {
    return {kInNode, joined({it.name, it.result}), it.call_id.value_or(""), it.is_error};
  }
  EventLine operator()(const ToolApproval& it) const {
    return {kInNode, it.name + ' ' + it.arguments, it.call_id.value_or("")};
  }
};

}  // namespace

EventLine event_line(const RunEvent& event) { return std::visit(LineOf{}, event); }

}  // namespace parley::runtime
