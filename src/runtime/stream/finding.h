// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parley::runtime {

// Faults of a stream of frames. The names are those of docs/protocol-loom.md.
enum class FindingCode : std::uint8_t {
  // of one line
  line_too_long,
  not_utf8,
  not_json,
  not_object,
  too_deep,
  no_type,
  missing_field,
  wrong_type,
  unknown_type,
  // of the envelopes
  event_id_not_increasing,
  event_conflict,
  node_id_malformed,
  node_id_out_of_order,
  node_id_mismatch,
  // of a run
  run_start_missing,
  run_start_late,
  node_not_open,
  node_unclosed,
  node_name_mismatch,
  tool_start_without_call,
  tool_output_outside,
  tool_end_without_start,
  tool_unfinished,
  approval_late,
  tot_out_of_order,
  tot_score_count,
  tot_choice_out_of_range,
  got_task_unknown,
  got_plan_count,
  got_out_of_order,
  event_after_reply,
  reply_missing,
  reply_of_other_session,
  // of the reader
  too_deeply_nested,
  limit_reached,
};
std::string_view code_name(FindingCode code);

enum class Severity : std::uint8_t {
  note,     // tolerated, as the protocol text asks; no data is lost
  warning,  // a recommendation of the text is violated, or the stream is incomplete
  error,    // a requirement of the text is violated
};
std::string_view severity_name(Severity severity);
Severity severity_of(FindingCode code);

struct Finding {
  FindingCode code = FindingCode::not_json;
  std::string source;      // the name of the file
  std::uint64_t line = 0;  // from 1; 0: no specific line
  std::string message;     // a sentence
};

}  // namespace parley::runtime
