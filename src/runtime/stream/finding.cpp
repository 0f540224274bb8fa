// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/finding.h"

#include <array>

namespace parley::runtime {
namespace {

struct Row {
  FindingCode code;
  std::string_view name;
  Severity severity;
};

using enum FindingCode;
using enum Severity;

// In the order of the codes.
constexpr std::array kRows = {
    Row{line_too_long, "line_too_long", error},
    Row{not_utf8, "not_utf8", error},
    Row{not_json, "not_json", error},
    Row{not_object, "not_object", error},
    Row{too_deep, "too_deep", error},
    Row{no_type, "no_type", error},
    Row{missing_field, "missing_field", error},
    Row{wrong_type, "wrong_type", error},
    Row{unknown_type, "unknown_type", note},
    Row{event_id_not_increasing, "event_id_not_increasing", error},
    Row{event_conflict, "event_conflict", error},
    Row{node_id_malformed, "node_id_malformed", warning},
    Row{node_id_out_of_order, "node_id_out_of_order", warning},
    Row{node_id_mismatch, "node_id_mismatch", error},
    Row{run_start_missing, "run_start_missing", note},
    Row{run_start_late, "run_start_late", error},
    Row{node_not_open, "node_not_open", error},
    Row{node_unclosed, "node_unclosed", warning},
    Row{node_name_mismatch, "node_name_mismatch", error},
    Row{tool_start_without_call, "tool_start_without_call", warning},
    Row{tool_output_outside, "tool_output_outside", error},
    Row{tool_end_without_start, "tool_end_without_start", error},
    Row{tool_unfinished, "tool_unfinished", warning},
    Row{approval_late, "approval_late", error},
    Row{tot_out_of_order, "tot_out_of_order", error},
    Row{tot_score_count, "tot_score_count", error},
    Row{tot_choice_out_of_range, "tot_choice_out_of_range", error},
    Row{got_task_unknown, "got_task_unknown", error},
    Row{got_plan_count, "got_plan_count", warning},
    Row{got_out_of_order, "got_out_of_order", error},
    Row{event_after_reply, "event_after_reply", error},
    Row{reply_missing, "reply_missing", warning},
    Row{reply_of_other_session, "reply_of_other_session", note},
    Row{too_deeply_nested, "too_deeply_nested", warning},
    Row{limit_reached, "limit_reached", error},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows.at(i).code) != i) return false;
  }
  return kRows.size() == static_cast<std::size_t>(limit_reached) + 1;
}
static_assert(in_order());

}  // namespace

std::string_view code_name(FindingCode code) {
  return kRows.at(static_cast<std::size_t>(code)).name;
}

Severity severity_of(FindingCode code) { return kRows.at(static_cast<std::size_t>(code)).severity; }

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "error";
}

}  // namespace parley::runtime
