// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "services/study/log_record.h"
#include "services/study/log_source.h"
#include "services/study/study.h"

namespace parley::study {

// One tool call of an agent and its answer.
struct ToolCall {
  std::uint64_t index = 0;  // eventIndex of the call
  std::string time;         // its timestamp
  std::string tool;
  std::string params;  // JSON; empty: none
  std::string reason;
  std::string stage;      // stage of the page when the call arrived; empty: unknown
  bool answered = false;  // the members below are set
  bool ok = false;
  std::string error_code;
  std::string error_message;
  std::uint64_t latency_ms = 0;  // from the call's arrival to the answer's delivery
};

// The figures of a study session.
struct Summary {
  std::uint64_t records = 0;
  std::uint64_t steps = 0;  // moves to a later stage, and the confirmation
  std::uint64_t tool_calls = 0;
  std::uint64_t errors = 0;  // failed calls and errors sent to agents
  std::uint64_t agent_messages = 0;
  std::uint64_t user_messages = 0;
  std::uint64_t undone = 0;  // times that the participant undid a change of the agent
  std::uint64_t backs = 0;   // steps back by the participant
  core::WallTime first;      // times of the first and the last record
  core::WallTime last;
  bool completed = false;  // a booking was confirmed

  core::Millis duration() const { return core::Millis(duration_ms()); }
  std::uint64_t duration_ms() const { return static_cast<std::uint64_t>((last - first).count()); }
};

// Reads a log and computes its figures and tool calls. Supports logs of Parley and of other hosts.
// If the lines have no ids, an answer belongs to the oldest waiting call of its tool, preferably of
// the same client.
class LogAnalysis {
 public:
  // `with_calls`: false counts the calls, but does not keep them.
  explicit LogAnalysis(bool with_calls) : with_calls_(with_calls) {}

  // Skips lines that are not records; verify() reports them.
  core::Result<void> read(LogSource& log);

  const Summary& summary() const { return summary_; }
  const std::vector<ToolCall>& calls() const { return calls_; }
  // The labels of the study.opened record, or of the first session.start of a log without one.
  const StudyStart& labels() const { return labels_; }
  const std::string& session_id() const { return session_id_; }

 private:
  struct Waiting {
    std::string id;
    std::string client;
    std::string tool;
    core::WallTime at;
    std::size_t call = 0;  // index in calls_
  };

  void add(const LogRecord& record);
  void add_in(const LogRecord& record);
  void add_call(const LogRecord& record);
  void add_answer(const LogRecord& record);
  std::optional<Waiting> take_waiting(const LogRecord& record, std::string_view tool);
  void see_state(const LogRecord& record);
  void see_stage(std::string_view stage, bool by_user);
  void see_history(const simdjson::dom::object& payload);
  void see_labels(const LogRecord& record);

  const bool with_calls_;
  RecordReader reader_;
  Summary summary_;
  StudyStart labels_;
  bool has_labels_ = false;
  std::string session_id_;
  std::vector<ToolCall> calls_;
  std::deque<Waiting> waiting_;
  std::string stage_;
  std::size_t changes_ = 0;  // changes of the agent to the current stage
};

// Rows of both tables begin with the same columns: session, study, participant, condition,
// scenario.
// "session,study,participant,condition,scenario,index,time,tool,params,reason,stage,ok,error_code,
// error_message,latency_ms"
void append_calls_header(std::string& csv);
void append_calls(std::string& csv, const Study& study, const std::vector<ToolCall>& calls);
// "session,study,participant,condition,scenario,state,started,ended,end_reason,duration_s,records,
// steps,tool_calls,errors,agent_messages,user_messages,undone,backs,completed"
void append_summary_header(std::string& csv);
void append_summary(std::string& csv, const Study& study, const Summary& summary);
// Writes the members of a summary into an open object.
void write_summary(core::JsonWriter& json, const Summary& summary);

}  // namespace parley::study
