// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/event_fields.h"

#include <charconv>
#include <cmath>

#include "runtime/stream/frame.h"

namespace parley::runtime {
namespace {

using core::JsonField;
using core::JsonType;
using namespace runtime;

// Any JSON number.
std::optional<double> number_of(std::string_view raw) {
  double out = 0;
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), out);
  if (error != std::errc() || end != raw.data() + raw.size()) return std::nullopt;
  return out;
}

// A whole number, also if written 3.0 or 3e0.
template <typename Integer>
std::optional<Integer> whole(std::string_view raw) {
  Integer out = 0;
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), out);
  if (error == std::errc() && end == raw.data() + raw.size()) return out;
  constexpr double kExact = 9'007'199'254'740'992.0;
  const std::optional<double> number = number_of(raw);
  if (!number || std::trunc(*number) != *number || std::abs(*number) > kExact) return std::nullopt;
  if (*number < 0 && !std::is_signed_v<Integer>) return std::nullopt;
  return static_cast<Integer>(*number);
}

// --- one function for each type -----------------------------------------------------------------

using Reader = RunEvent (*)(EventFields&);

RunEvent run_start(EventFields& in) {
  return RunStart{in.optional_text("run_id"), in.optional_text("message"),
                  in.optional_text("agent")};
}
RunEvent node_enter(EventFields& in) { return NodeEnter{in.node_name()}; }
RunEvent node_exit(EventFields& in) { return NodeExit{in.node_name(), in.failure("result")}; }
RunEvent message_chunk(EventFields& in) { return MessageChunk{in.text("content"), in.node_name()}; }
RunEvent thought_chunk(EventFields& in) { return ThoughtChunk{in.text("content"), in.node_name()}; }
RunEvent usage(EventFields& in) {
  return Usage{in.count("prompt_tokens"), in.count("completion_tokens"), in.count("total_tokens")};
}
RunEvent values(EventFields& in) { return Values{in.raw("state")}; }
RunEvent updates(EventFields& in) { return Updates{in.node_name(), in.raw("state")}; }
RunEvent custom(EventFields& in) { return Custom{in.raw("value")}; }
RunEvent checkpoint(EventFields& in) {
  Checkpoint out;
  out.checkpoint_id = in.text("checkpoint_id");
  const JsonField* time = in.find("timestamp");
  const bool number = time != nullptr && time->type == JsonType::number;
  out.timestamp = number ? std::string(time->value) : in.text("timestamp");
  out.step = in.integer("step");
  out.state = in.raw("state");
  out.thread_id = in.optional_text("thread_id");
  out.checkpoint_ns = in.optional_text("checkpoint_ns");
  out.next = in.optional_text("next");
  return out;
}
RunEvent tot_expand(EventFields& in) { return TotExpand{in.texts("candidates")}; }
RunEvent tot_evaluate(EventFields& in) {
  return TotEvaluate{in.count("chosen"), in.numbers("scores")};
}
RunEvent tot_backtrack(EventFields& in) {
  return TotBacktrack{in.text("reason"), in.count("to_depth")};
}
RunEvent got_plan(EventFields& in) {
  return GotPlan{in.count("node_count"), in.count("edge_count"), in.texts("node_ids")};
}
RunEvent got_node_start(EventFields& in) { return GotNodeStart{in.node_name()}; }
RunEvent got_node_complete(EventFields& in) {
  return GotNodeComplete{in.node_name(), in.text("result_summary")};
}
RunEvent got_node_failed(EventFields& in) {
  return GotNodeFailed{in.node_name(), in.text("error")};
}
RunEvent got_expand(EventFields& in) {
  const JsonField* own = in.find("node_id");
  return GotExpand{own == nullptr ? in.text("id") : in.text("node_id"), in.count("nodes_added"),
                   in.count("edges_added")};
}
RunEvent tool_call_chunk(EventFields& in) {
  return ToolCallChunk{in.optional_text("call_id"), in.optional_text("name"),
                       in.text("arguments_delta")};
}
RunEvent tool_call(EventFields& in) {
  return ToolCallMade{in.optional_text("call_id"), in.text("name"), in.raw("arguments")};
}
RunEvent tool_start(EventFields& in) {
  return ToolStart{in.optional_text("call_id"), in.text("name")};
}
RunEvent tool_output(EventFields& in) {
  return ToolOutput{in.optional_text("call_id"), in.text("name"), in.text("content")};
}
RunEvent tool_end(EventFields& in) {
  return ToolEnd{in.optional_text("call_id"), in.text("name"), in.text("result"),
                 in.flag("is_error"), in.optional_text("raw_result")};
}
RunEvent tool_approval(EventFields& in) {
  const bool is_explained = in.find(kExplanationMember) != nullptr;
  return ToolApproval{in.optional_text("call_id"), in.text("name"), in.raw("arguments"),
                      is_explained ? in.raw(kExplanationMember) : std::string()};
}

struct TypeRow {
  std::string_view type;
  Reader read;
};

constexpr TypeRow kReaders[] = {
    {"run_start", run_start},
    {"node_enter", node_enter},
    {"node_exit", node_exit},
    {"message_chunk", message_chunk},
    {"thought_chunk", thought_chunk},
    {"usage", usage},
    {"values", values},
    {"updates", updates},
    {"custom", custom},
    {"checkpoint", checkpoint},
    {"tot_expand", tot_expand},
    {"tot_evaluate", tot_evaluate},
    {"tot_backtrack", tot_backtrack},
    {"got_plan", got_plan},
    {"got_node_start", got_node_start},
    {"got_node_complete", got_node_complete},
    {"got_node_failed", got_node_failed},
    {"got_expand", got_expand},
    {"tool_call_chunk", tool_call_chunk},
    {"tool_call", tool_call},
    {"tool_start", tool_start},
    {"tool_output", tool_output},
    {"tool_end", tool_end},
    {"tool_approval", tool_approval},
};

}  // namespace

std::string raw_json(std::string_view text) {
  std::string out(text);
  blank_controls(out);
  return out;
}

bool read_event(std::string_view type, EventFields& fields, RunEvent& out) {
  for (const TypeRow& row : kReaders) {
    if (row.type != type) continue;
    out = row.read(fields);
    return true;
  }
  return false;
}

const JsonField* EventFields::find(std::string_view name) const {
  const JsonField* found = core::find_field(fields_, name);
  return found == nullptr || found->type == JsonType::null ? nullptr : found;
}

void EventFields::wrong(std::string_view name, std::string_view wanted) {
  if (fault_) return;
  fault_ = LineFault{FindingCode::wrong_type,
                     '"' + std::string(name) + "\" is not " + std::string(wanted) + '.'};
}

const JsonField* EventFields::need(std::string_view name) {
  const JsonField* found = find(name);
  if (found == nullptr && !fault_) {
    fault_ = LineFault{FindingCode::missing_field, '"' + std::string(name) + "\" is missing."};
  }
  return found;
}

const JsonField* EventFields::need(std::string_view name, JsonType type) {
  const JsonField* found = need(name);
  if (found == nullptr || found->type == type) return found;
  constexpr std::string_view kNames[] = {"an object", "an array",  "a string",
                                         "a number",  "a boolean", "null"};
  wrong(name, kNames[static_cast<std::size_t>(type)]);
  return nullptr;
}

std::string EventFields::text(std::string_view name) {
  const JsonField* found = need(name, JsonType::string);
  return found == nullptr ? std::string() : core::decode_json_string(found->value);
}

std::optional<std::string> EventFields::optional_text(std::string_view name) {
  if (find(name) == nullptr) return std::nullopt;
  return text(name);
}

std::uint64_t EventFields::count(std::string_view name) {
  const JsonField* found = need(name, JsonType::number);
  if (found == nullptr) return 0;
  const std::optional<std::uint64_t> number = whole<std::uint64_t>(found->value);
  if (!number) wrong(name, "a whole number from 0");
  return number.value_or(0);
}

std::optional<std::uint64_t> EventFields::optional_count(std::string_view name) {
  if (find(name) == nullptr) return std::nullopt;
  return count(name);
}

std::int64_t EventFields::integer(std::string_view name) {
  const JsonField* found = need(name, JsonType::number);
  if (found == nullptr) return 0;
  const std::optional<std::int64_t> number = whole<std::int64_t>(found->value);
  if (!number) wrong(name, "a whole number");
  return number.value_or(0);
}

bool EventFields::flag(std::string_view name) {
  const JsonField* found = need(name, JsonType::boolean);
  return found != nullptr && found->value == "true";
}

std::string EventFields::raw(std::string_view name) {
  const JsonField* found = core::find_field(fields_, name);
  if (found == nullptr) need(name);
  return found == nullptr ? std::string("null") : raw_json(found->value);
}

std::vector<std::string> EventFields::texts(std::string_view name) {
  std::vector<std::string> out;
  const JsonField* found = need(name, JsonType::array);
  if (found == nullptr) return out;
  std::vector<JsonField> values;
  if (core::scan_array(found->value, kMaxLineDepth, values) != core::ScanResult::ok) {
    wrong(name, "an array of this size");
  }
  for (const JsonField& value : values) {
    if (value.type != JsonType::string) {
      wrong(name, "an array of strings");
      break;
    }
    out.push_back(core::decode_json_string(value.value));
  }
  return out;
}

std::vector<double> EventFields::numbers(std::string_view name) {
  std::vector<double> out;
  const JsonField* found = need(name, JsonType::array);
  if (found == nullptr) return out;
  std::vector<JsonField> values;
  if (core::scan_array(found->value, kMaxLineDepth, values) != core::ScanResult::ok) {
    wrong(name, "an array of this size");
  }
  for (const JsonField& value : values) {
    // Values that JSON numbers cannot express (NaN, infinity) are written as null.
    const std::optional<double> number =
        value.type == JsonType::null ? std::optional<double>(0.0) : number_of(value.value);
    if (!number) {
      wrong(name, "an array of numbers");
      break;
    }
    out.push_back(*number);
  }
  return out;
}

std::string EventFields::node_name() {
  if (!export_names_) return text("id");
  return find("node_id") == nullptr && find("id") != nullptr ? text("id") : text("node_id");
}

std::optional<std::string> EventFields::failure(std::string_view name) {
  const JsonField* found = need(name);
  if (found == nullptr) return std::nullopt;
  if (found->type == JsonType::string && core::names(found->value, "Ok")) return std::nullopt;
  std::vector<JsonField> members;
  std::vector<JsonField> unused;
  if (found->type == JsonType::object &&
      core::scan_object(found->value, kMaxLineDepth, {}, members, unused) == core::ScanResult::ok) {
    if (core::find_field(members, "Ok") != nullptr) return std::nullopt;
    const JsonField* why = core::find_field(members, "Err");
    if (why != nullptr && why->type == JsonType::string)
      return core::decode_json_string(why->value);
    if (why != nullptr) return raw_json(why->value);
  }
  wrong(name, R"("Ok" or {"Err":...})");
  return std::nullopt;
}

}  // namespace parley::runtime
