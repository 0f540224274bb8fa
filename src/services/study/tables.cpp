// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Writes analyses as CSV tables and JSON.
#include "base/core/duration_text.h"
#include "base/core/time_text.h"
#include "services/study/analysis.h"
#include "services/study/csv.h"

namespace parley::study {
namespace {

void begin_row(CsvWriter& csv, const Study& study) {
  csv.text(study.id).text(study.start.study_id).text(study.start.participant_id);
  csv.text(study.start.condition).text(study.start.scenario);
}

}  // namespace

void append_calls_header(std::string& csv) {
  CsvWriter(csv).header({"session", "study", "participant", "condition", "scenario", "index",
                         "time", "tool", "params", "reason", "stage", "ok", "error_code",
                         "error_message", "latency_ms"});
}

void append_calls(std::string& csv, const Study& study, const std::vector<ToolCall>& calls) {
  CsvWriter row(csv);
  for (const ToolCall& call : calls) {
    begin_row(row, study);
    row.number(call.index).text(call.time).text(call.tool).text(call.params).text(call.reason);
    row.text(call.stage);
    if (call.answered) {
      row.boolean(call.ok).text(call.error_code).text(call.error_message).number(call.latency_ms);
    } else {
      row.empty().empty().empty().empty();
    }
    row.end_row();
  }
}

void append_summary_header(std::string& csv) {
  CsvWriter(csv).header({"session", "study", "participant", "condition", "scenario", "state",
                         "started", "ended", "end_reason", "duration_s", "records", "steps",
                         "tool_calls", "errors", "agent_messages", "user_messages", "undone",
                         "backs", "completed"});
}

void append_summary(std::string& csv, const Study& study, const Summary& summary) {
  CsvWriter row(csv);
  begin_row(row, study);
  row.text(study.state == StudyState::ended ? "ended" : "open");
  row.text(core::time_text_ms(study.started_at));
  if (study.ended_at) {
    row.text(core::time_text_ms(*study.ended_at));
  } else {
    row.empty();
  }
  row.text(study.end_reason)
      .number(static_cast<std::uint64_t>(core::rounded_seconds(summary.duration())))
      .number(summary.records);
  row.number(summary.steps).number(summary.tool_calls).number(summary.errors);
  row.number(summary.agent_messages).number(summary.user_messages).number(summary.undone);
  row.number(summary.backs).boolean(summary.completed).end_row();
}

void write_summary(core::JsonWriter& json, const Summary& summary) {
  json.key("duration_ms").number(summary.duration_ms()).key("records").number(summary.records);
  json.key("steps").number(summary.steps).key("tool_calls").number(summary.tool_calls);
  json.key("errors").number(summary.errors);
  json.key("agent_messages").number(summary.agent_messages);
  json.key("user_messages").number(summary.user_messages);
  json.key("undone").number(summary.undone).key("backs").number(summary.backs);
  json.key("completed").boolean(summary.completed);
}

}  // namespace parley::study
