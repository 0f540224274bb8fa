// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/run_json.h"

#include "core/json_writer.h"

namespace parley::runtime {
namespace {

using core::JsonWriter;

void unless_empty(JsonWriter& json, std::string_view name, const std::string& value) {
  if (!value.empty()) json.key(name).string(value);
}
void maybe(JsonWriter& json, std::string_view name, const std::optional<std::string>& value) {
  if (value) json.key(name).string(*value);
}
void maybe(JsonWriter& json, std::string_view name, const std::optional<std::uint64_t>& value) {
  if (value) json.key(name).number(*value);
}
void maybe(JsonWriter& json, std::string_view name, const std::optional<std::int64_t>& value) {
  if (value) json.key(name).number(*value);
}

void write_usage(JsonWriter& json, const runtime::Usage& usage) {
  if (usage.total_tokens == 0 && usage.prompt_tokens == 0) return;
  json.key("usage").begin_object();
  json.key("prompt_tokens").number(usage.prompt_tokens);
  json.key("completion_tokens").number(usage.completion_tokens);
  json.key("total_tokens").number(usage.total_tokens);
  json.end_object();
}

void write_run(JsonWriter& json, const RunTree& run);

void write_agents(JsonWriter& json, const std::vector<RunTree>& agents) {
  if (agents.empty()) return;
  json.key("agents").begin_array();
  for (const RunTree& agent : agents) write_run(json, agent);
  json.end_array();
}

void write_tool(JsonWriter& json, const ToolUse& tool) {
  json.begin_object();
  maybe(json, "call_id", tool.call_id);
  json.key("name").string(tool.name);
  if (tool.arguments_whole) {
    json.key("arguments").raw(tool.arguments);
  } else {
    unless_empty(json, "arguments_so_far", tool.arguments);
  }
  json.key("state").string(state_name(tool.state));
  if (tool.approval_asked) json.key("approval_asked").boolean(true);
  unless_empty(json, "output", tool.output);
  if (tool.state == ToolUse::State::ended) {
    json.key("result").string(tool.result).key("is_error").boolean(tool.is_error);
  }
  write_agents(json, tool.agents);
  json.end_object();
}

void write_node(JsonWriter& json, const NodeRun& node) {
  json.begin_object();
  json.key("name").string(node.name);
  unless_empty(json, "node_id", node.node_id);
  maybe(json, "first_event", node.first_event);
  maybe(json, "last_event", node.last_event);
  json.key("open").boolean(node.open);
  maybe(json, "error", node.error);
  unless_empty(json, "text", node.text);
  unless_empty(json, "thoughts", node.thoughts);
  if (!node.tools.empty()) {
    json.key("tools").begin_array();
    for (const ToolUse& tool : node.tools) write_tool(json, tool);
    json.end_array();
  }
  write_agents(json, node.agents);
  write_usage(json, node.usage);
  json.end_object();
}

void write_thoughts(JsonWriter& json, const RunTree& run) {
  json.key("tot").begin_object().key("levels").begin_array();
  for (const TotLevel& level : run.tot) {
    json.begin_object().key("depth").number(level.depth).key("candidates").begin_array();
    for (const std::string& candidate : level.candidates) json.string(candidate);
    json.end_array().key("scores").begin_array();
    for (const double score : level.scores) json.number(score);
    json.end_array();
    maybe(json, "chosen", level.chosen);
    json.key("abandoned").boolean(level.abandoned).end_object();
  }
  json.end_array().key("backtracks").begin_array();
  for (const TotBacktracking& back : run.backtracks) {
    json.begin_object().key("reason").string(back.reason);
    json.key("to_depth").number(back.to_depth).end_object();
  }
  json.end_array().end_object();
}

void write_plan(JsonWriter& json, const RunTree& run) {
  json.key("got").begin_object().key("tasks").begin_array();
  for (const GotTask& task : run.got) {
    json.begin_object().key("id").string(task.id);
    unless_empty(json, "description", task.description);
    json.key("state").string(state_name(task.state));
    unless_empty(json, "summary", task.summary);
    if (task.nodes_added > 0) json.key("nodes_added").number(task.nodes_added);
    json.end_object();
  }
  json.end_array().key("edges").begin_array();
  for (const auto& [from, to] : run.got_edges) {
    json.begin_array().string(from).string(to).end_array();
  }
  json.end_array().end_object();
}

void write_reply(JsonWriter& json, const Reply& reply) {
  json.key("reply").begin_object().key("reply").string(reply.reply);
  maybe(json, "reasoning_content", reply.reasoning_content);
  maybe(json, "stop_reason", reply.stop_reason);
  maybe(json, "error", reply.error);
  json.end_object();
}

void write_run(JsonWriter& json, const RunTree& run) {
  json.begin_object();
  unless_empty(json, "id", run.id);
  unless_empty(json, "sub_agent", run.sub_agent);
  unless_empty(json, "call_id", run.call_id);
  unless_empty(json, "agent", run.agent);
  unless_empty(json, "message", run.message);
  json.key("events").number(run.events);
  maybe(json, "first_event", run.first_event);
  maybe(json, "last_event", run.last_event);
  maybe(json, "began_at", run.began_at);
  maybe(json, "ended_at", run.ended_at);
  json.key("whole").boolean(run.whole && run.reply.has_value());
  if (run.resumed > 0) json.key("resumed").number(run.resumed);
  if (run.unknown > 0) json.key("unknown").number(run.unknown);
  json.key("nodes").begin_array();
  for (const NodeRun& node : run.nodes) write_node(json, node);
  json.end_array();
  if (!run.tot.empty()) write_thoughts(json, run);
  if (!run.got.empty()) write_plan(json, run);
  if (!run.checkpoints.empty()) {
    json.key("checkpoints").begin_array();
    for (const std::string& id : run.checkpoints) json.string(id);
    json.end_array();
  }
  json.key("model_calls").number(run.model_calls);
  write_usage(json, run.usage);
  if (!run.state.empty()) json.key("state").raw(run.state);
  if (run.reply) write_reply(json, *run.reply);
  json.end_object();
}

}  // namespace

std::string tree_json(const Reading& reading) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("sessions").begin_array();
  for (const SessionTree& session : reading.sessions) {
    json.begin_object().key("id").string(session.id).key("runs").begin_array();
    for (const RunTree& run : session.runs) write_run(json, run);
    json.end_array().end_object();
  }
  json.end_array().key("findings").begin_array();
  for (const Finding& finding : reading.findings) {
    json.begin_object().key("severity").string(severity_name(severity_of(finding.code)));
    json.key("code").string(code_name(finding.code)).key("source").string(finding.source);
    json.key("line").number(finding.line).key("message").string(finding.message).end_object();
  }
  json.end_array().key("counts").begin_object();
  json.key("lines").number(reading.counts.lines).key("events").number(reading.counts.events);
  json.key("broken").number(reading.counts.broken);
  json.key("duplicates").number(reading.counts.duplicates);
  json.key("gaps").number(reading.counts.gaps);
  json.key("errors").number(static_cast<std::uint64_t>(reading.count(Severity::error)));
  json.key("warnings").number(static_cast<std::uint64_t>(reading.count(Severity::warning)));
  json.key("notes").number(static_cast<std::uint64_t>(reading.count(Severity::note)));
  json.end_object().end_object();
  return out;
}

}  // namespace parley::runtime
