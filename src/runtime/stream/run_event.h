// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/core/json_writer.h"

// The 24 events of a run, named as in the Loom stream (docs/protocol-loom.md). Members named
// `state`, `value` and `arguments` are valid JSON text. Absent optionals are not written.
namespace parley::runtime {

struct RunStart {
  std::optional<std::string> run_id;
  std::optional<std::string> message;
  std::optional<std::string> agent;
  bool operator==(const RunStart&) const = default;
};

struct NodeEnter {
  std::string id;  // of the node in its graph: "think"
  bool operator==(const NodeEnter&) const = default;
};

struct NodeExit {
  std::string id;
  std::optional<std::string> error;  // empty: "Ok"
  bool operator==(const NodeExit&) const = default;
};

struct MessageChunk {
  std::string content;
  std::string id;
  bool operator==(const MessageChunk&) const = default;
};

struct ThoughtChunk {
  std::string content;
  std::string id;
  bool operator==(const ThoughtChunk&) const = default;
};

struct Usage {
  std::uint64_t prompt_tokens = 0;
  std::uint64_t completion_tokens = 0;
  std::uint64_t total_tokens = 0;
  bool operator==(const Usage&) const = default;
};
// Adds the tokens of one model call to a sum.
void add_usage(std::optional<Usage>& total, const Usage& usage);
void add_usage(Usage& total, const Usage& usage);

struct Values {
  std::string state;
  bool operator==(const Values&) const = default;
};

struct Updates {
  std::string id;
  std::string state;
  bool operator==(const Updates&) const = default;
};

struct Custom {
  std::string value;
  // `usage` of a sub-agent's event inside this one, for summing. Not written.
  std::optional<Usage> usage = {};
  bool operator==(const Custom&) const = default;
};

struct Checkpoint {
  std::string checkpoint_id;
  std::string timestamp;  // milliseconds since the epoch, in decimal
  std::int64_t step = 0;
  std::string state;
  std::optional<std::string> thread_id;
  std::optional<std::string> checkpoint_ns;
  // Not in the protocol text: the next node ("__end__": none).
  std::optional<std::string> next;
  bool operator==(const Checkpoint&) const = default;
};

struct TotExpand {
  std::vector<std::string> candidates;
  bool operator==(const TotExpand&) const = default;
};

struct TotEvaluate {
  std::uint64_t chosen = 0;
  std::vector<double> scores;
  bool operator==(const TotEvaluate&) const = default;
};

struct TotBacktrack {
  std::string reason;
  std::uint64_t to_depth = 0;
  bool operator==(const TotBacktrack&) const = default;
};

struct GotPlan {
  std::uint64_t node_count = 0;
  std::uint64_t edge_count = 0;
  std::vector<std::string> node_ids;
  bool operator==(const GotPlan&) const = default;
};

struct GotNodeStart {
  std::string id;  // of the task in the plan, not of a graph's node
  bool operator==(const GotNodeStart&) const = default;
};

struct GotNodeComplete {
  std::string id;
  std::string result_summary;
  bool operator==(const GotNodeComplete&) const = default;
};

struct GotNodeFailed {
  std::string id;
  std::string error;
  bool operator==(const GotNodeFailed&) const = default;
};

struct GotExpand {
  std::string node_id;  // of the task; replaces that of the envelope
  std::uint64_t nodes_added = 0;
  std::uint64_t edges_added = 0;
  bool operator==(const GotExpand&) const = default;
};

struct ToolCallChunk {
  std::optional<std::string> call_id;
  std::optional<std::string> name;
  std::string arguments_delta;
  bool operator==(const ToolCallChunk&) const = default;
};

struct ToolCallMade {  // "tool_call"
  std::optional<std::string> call_id;
  std::string name;
  std::string arguments;  // a JSON string if the model's text is not JSON
  bool operator==(const ToolCallMade&) const = default;
};

struct ToolStart {
  std::optional<std::string> call_id;
  std::string name;
  bool operator==(const ToolStart&) const = default;
};

struct ToolOutput {
  std::optional<std::string> call_id;
  std::string name;
  std::string content;
  bool operator==(const ToolOutput&) const = default;
};

struct ToolEnd {
  std::optional<std::string> call_id;
  std::string name;
  std::string result;  // as shown
  bool is_error = false;
  std::optional<std::string> raw_result;  // the whole result, if `result` is cut
  bool operator==(const ToolEnd&) const = default;
};

// The member with the explanation of a shell command in the arguments (docs/explanations.md).
inline constexpr std::string_view kExplanationMember = "parley.explanation";

struct ToolApproval {
  std::optional<std::string> call_id;
  std::string name;
  std::string arguments;
  // JSON of Parley's own member kExplanationMember, not in the export form; empty: none.
  std::string explanation = {};
  bool operator==(const ToolApproval&) const = default;
};

// In the order of the table in the protocol text, thought_chunk after message_chunk.
using RunEvent =
    std::variant<RunStart, NodeEnter, NodeExit, MessageChunk, ThoughtChunk, Usage, Values, Updates,
                 Custom, Checkpoint, TotExpand, TotEvaluate, TotBacktrack, GotPlan, GotNodeStart,
                 GotNodeComplete, GotNodeFailed, GotExpand, ToolCallChunk, ToolCallMade, ToolStart,
                 ToolOutput, ToolEnd, ToolApproval>;

// Usage of one model call in an event, of the agent itself or of a sub-agent; std::nullopt if none.
std::optional<Usage> usage_in(const RunEvent& event);

// Name of an event's type in the protocol text: "run_start", "tool_call", ...
std::string_view type_name(const RunEvent& event);

// Writes `type` and the payload's members into an object that the caller has opened.
void write_members(core::JsonWriter& json, const RunEvent& event);

// The stored form of an event: one JSON object with `type`, the payload's members, and `node_id`
// unless the payload has its own (got_expand). A frame of the stream is this with `session_id` and
// `event_id` in front.
std::string stored_payload(const RunEvent& event, std::string_view node_id);

}  // namespace parley::runtime
