// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/reading_json.h"

#include "base/core/json_writer.h"

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

void write_reply(JsonWriter& json, const Reply& reply) {
  json.key("reply").begin_object().key("reply").string(reply.reply);
  maybe(json, "reasoning_content", reply.reasoning_content);
  maybe(json, "stop_reason", reply.stop_reason);
  maybe(json, "error", reply.error);
  json.end_object();
}

void write_run(JsonWriter& json, const RunSummary& run) {
  json.begin_object();
  unless_empty(json, "id", run.id);
  unless_empty(json, "agent", run.agent);
  unless_empty(json, "message", run.message);
  json.key("events").number(run.events);
  maybe(json, "first_event", run.first_event);
  maybe(json, "last_event", run.last_event);
  maybe(json, "began_at", run.began_at);
  maybe(json, "ended_at", run.ended_at);
  json.key("whole").boolean(run.complete && run.reply.has_value());
  if (run.resumed > 0) json.key("resumed").number(run.resumed);
  if (run.unknown > 0) json.key("unknown").number(run.unknown);
  json.key("nodes").number(run.nodes).key("tools").number(run.tools);
  json.key("checkpoints").number(run.checkpoints);
  json.key("model_calls").number(run.model_calls);
  write_usage(json, run.usage);
  if (run.reply) write_reply(json, *run.reply);
  json.end_object();
}

}  // namespace

std::string reading_json(const Reading& reading) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("sessions").begin_array();
  for (const SessionSummary& session : reading.sessions) {
    json.begin_object().key("id").string(session.id).key("runs").begin_array();
    for (const RunSummary& run : session.runs) write_run(json, run);
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
