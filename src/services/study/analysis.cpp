// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/analysis.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/core/json_member.h"
#include "base/core/result.h"
#include "services/study/opened_record.h"

namespace parley::study {

using core::Result;

namespace {

namespace dom = simdjson::dom;

// The order of the booking's stages. Contract section 3.6 has the label of the user's confirmation
// in the history.
constexpr std::array<std::string_view, 7> kStages = {"movie", "theater", "date",   "time",
                                                     "seat",  "ticket",  "confirm"};
constexpr std::string_view kConfirmed = "Booking Confirmed!";
// Limit of calls that wait for an answer; beyond it the oldest is dropped.
// Limit (Studies): tool calls that wait for their answer in a table. Reached: the oldest is listed
// without an answer.
constexpr std::size_t kMaxWaiting = 10'000;

std::size_t place_of(std::string_view stage) {
  const auto* found = std::find(kStages.begin(), kStages.end(), stage);
  return static_cast<std::size_t>(found - kStages.begin());
}

// The delivered payload: some hosts log it inside {"delivered":N,"payload":{…}}.
dom::object inner_payload(const LogRecord& record) {
  std::int64_t delivered = 0;
  if (record.payload["delivered"].get_int64().get(delivered) != simdjson::SUCCESS) {
    return record.payload;
  }
  return object_member(record.payload, "payload").value_or(record.payload);
}

// Number of changes of an agent that a stage shows: one for each kind, but for a list one for each
// of its items.
std::size_t count_changes(const dom::object& spec) {
  const auto modification = object_member(spec, "modification");
  if (!modification) return 0;
  std::size_t count = 0;
  for (const auto part : *modification) {
    dom::array items;
    count += part.value.get_array().get(items) == simdjson::SUCCESS ? items.size() : 1;
  }
  return count;
}

}  // namespace

Result<void> LogAnalysis::read(LogSource& log) {
  std::vector<LineFault> faults;
  LogRecord record;
  while (true) {
    std::string_view line;
    PARLEY_TRY(const bool got, log.next(line));
    if (!got) return {};
    faults.clear();
    if (reader_.read(line, record, faults)) add(record);
  }
}

void LogAnalysis::add(const LogRecord& record) {
  ++summary_.records;
  if (session_id_.empty()) session_id_ = record.session_id;
  if (record.at != core::WallTime()) {
    if (summary_.first == core::WallTime()) summary_.first = record.at;
    summary_.last = std::max(summary_.last, record.at);
  }
  if (record.type == kOpenedType || record.type == "session.start") see_labels(record);
  if (record.direction == "in") return add_in(record);
  if (record.direction != "out") return;
  if (record.type == "tool.result" || record.type == "error") add_answer(record);
}

void LogAnalysis::add_in(const LogRecord& record) {
  if (record.type == "tool.call") {
    add_call(record);
  } else if (record.type == "agent.message") {
    ++summary_.agent_messages;
  } else if (record.type == "user.message") {
    ++summary_.user_messages;
  } else if (record.type == "state.updated" || record.type == "tool.result" ||
             record.type == "snapshot.state") {
    see_state(record);
  }
}

void LogAnalysis::add_call(const LogRecord& record) {
  ++summary_.tool_calls;
  const std::string tool(core::text_member(record.payload, "toolName"));
  if (waiting_.size() == kMaxWaiting) waiting_.pop_front();
  waiting_.push_back({record.id, record.client_id, tool, record.at, calls_.size()});
  if (!with_calls_) return;
  ToolCall call;
  call.index = record.index;
  call.time = record.timestamp;
  call.tool = tool;
  dom::element params;
  if (record.payload["params"].get(params) == simdjson::SUCCESS) {
    call.params = simdjson::minify(params);
  }
  call.reason = core::text_member(record.payload, "reason");
  call.stage = stage_;
  calls_.push_back(std::move(call));
}

void LogAnalysis::add_answer(const LogRecord& record) {
  const dom::object payload = inner_payload(record);
  bool ok = record.type == "tool.result";
  bool warned = false;
  if (payload["ok"].get_bool().get(warned) == simdjson::SUCCESS) ok = ok && warned;
  if (!ok) ++summary_.errors;
  const auto waiting = take_waiting(record, core::text_member(payload, "toolName"));
  if (!waiting || !with_calls_) return;
  ToolCall& call = calls_[waiting->call];
  call.answered = true;
  call.ok = ok;
  call.error_code = core::text_member(payload, "code");
  call.error_message = core::text_member(payload, "message");
  call.latency_ms =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, (record.at - waiting->at).count()));
}

std::optional<LogAnalysis::Waiting> LogAnalysis::take_waiting(const LogRecord& record,
                                                              std::string_view tool) {
  const auto fits = [&](const Waiting& one, bool same_client) {
    if (same_client && one.client != record.client_id) return false;
    if (!one.id.empty() || !record.reply_to.empty()) return one.id == record.reply_to;
    return tool.empty() || one.tool == tool;
  };
  auto it = std::find_if(waiting_.begin(), waiting_.end(),
                         [&fits](const Waiting& one) { return fits(one, true); });
  if (it == waiting_.end()) {
    it = std::find_if(waiting_.begin(), waiting_.end(),
                      [&fits](const Waiting& one) { return fits(one, false); });
  }
  if (it == waiting_.end()) return std::nullopt;
  Waiting found = std::move(*it);
  waiting_.erase(it);
  return found;
}

void LogAnalysis::see_state(const LogRecord& record) {
  const bool by_user = core::text_member(record.payload, "source") == "user";
  if (const auto spec = object_member(record.payload, "uiSpec")) {
    const std::string_view stage = core::text_member(*spec, "stage");
    const std::size_t changes = count_changes(*spec);
    if (by_user && stage == stage_ && changes < changes_) ++summary_.undone;
    if (!stage.empty() && stage != stage_) see_stage(stage, by_user);
    changes_ = changes;
  }
  see_history(record.payload);
}

void LogAnalysis::see_stage(std::string_view stage, bool by_user) {
  if (!stage_.empty()) {
    const bool forward = place_of(stage) > place_of(stage_);
    if (forward) ++summary_.steps;
    if (!forward && by_user) ++summary_.backs;
  }
  stage_ = stage;
}

void LogAnalysis::see_history(const dom::object& payload) {
  if (summary_.completed) return;
  dom::array history;
  if (payload["messageHistory"].get_array().get(history) != simdjson::SUCCESS) return;
  for (const dom::element entry : history) {
    dom::object message;
    if (entry.get_object().get(message) != simdjson::SUCCESS) continue;
    if (core::text_member(message, "type") != "user" ||
        core::text_member(message, "label") != kConfirmed ||
        core::text_member(message, "action") == "input") {
      continue;
    }
    summary_.completed = true;
    ++summary_.steps;
    return;
  }
}

void LogAnalysis::see_labels(const LogRecord& record) {
  if (std::exchange(has_labels_, true)) return;
  labels_.study_id = core::text_member(record.payload, "studyId");
  labels_.participant_id = core::text_member(record.payload, "participantId");
  labels_.condition = core::text_member(record.payload, "condition");
  labels_.scenario = core::text_member(record.payload, "scenario");
}

}  // namespace parley::study
