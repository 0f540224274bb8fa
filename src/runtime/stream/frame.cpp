// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/frame.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/core/json_text.h"
#include "base/core/json_writer.h"

namespace parley::runtime {
namespace {

// Ordered by frequency.
constexpr std::array<std::string_view, 24> kTypes = {
    "message_chunk",   "thought_chunk",  "tool_call_chunk", "tool_output",  "node_enter",
    "node_exit",       "updates",        "checkpoint",      "tool_call",    "tool_start",
    "tool_end",        "usage",          "custom",          "values",       "run_start",
    "tool_approval",   "got_node_start", "tot_expand",      "tot_evaluate", "got_node_complete",
    "got_node_failed", "got_plan",       "tot_backtrack",   "got_expand"};

constexpr std::string_view kReplyHead = R"({"type":"reply",)";
// Upper bound of the members in front, without the session's id, in bytes.
constexpr std::size_t kHeadBytes = 96;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20U; }

template <typename Number>
void append_number(std::string& out, Number number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

// The members of a stored reply whose type is not the first member.
std::string members_without_type(std::string_view payload) {
  std::vector<core::JsonField> fields;
  std::vector<core::JsonField> inner;
  std::string out;
  if (core::scan_object(payload, payload.size(), {}, fields, inner) != core::ScanResult::ok) {
    return "}";
  }
  for (const core::JsonField& field : fields) {
    if (core::names(field.name, "type")) continue;
    if (!out.empty()) out += ',';
    out.append(field.name).append(":").append(field.value);
  }
  return out + '}';
}

}  // namespace

bool is_state(std::string_view type) {
  return type == "updates" || type == "checkpoint" || type == "values";
}

bool is_reply(std::string_view type) { return type == kReplyType; }

bool is_frame(std::string_view type) {
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end() || is_reply(type);
}

void blank_controls(std::string& json, std::size_t from) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  char* at = json.data() + from;
  char* const end = json.data() + json.size();
  for (; end - at >= 8; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    // Non-zero exactly if one of the eight bytes is below 0x20.
    if (((word - kOnes * 0x20U) & ~word & (kOnes * 0x80U)) == 0) continue;
    std::replace_if(at, at + 8, is_control, ' ');
  }
  std::replace_if(at, end, is_control, ' ');
}

void append_frame(std::string& out, const event::Event& event, FrameOptions options) {
  out.reserve(out.size() + event.session.size() + event.payload.size() + kHeadBytes);
  out += R"({"session_id":)";
  core::append_json_string(out, event.session);
  out += R"(,"event_id":)";
  append_number(out, event.seq);
  if (options.with_time) {
    out += R"(,"at":)";
    append_number(out, core::to_unix_ms(event.at));
  }
  const std::size_t from = out.size();
  const std::string_view payload = event.payload;
  if (!is_reply(event.type)) {
    const std::size_t brace = payload.find('{');
    const std::size_t first = payload.find_first_not_of(" \t\r\n", brace + 1);
    if (first != std::string_view::npos && payload[first] != '}') out += ',';
    if (first != std::string_view::npos) out.append(payload.substr(first));
  } else if (payload.starts_with(kReplyHead)) {
    out += ',';
    out.append(payload.substr(kReplyHead.size()));
  } else {
    const std::string members = members_without_type(payload);
    if (members != "}") out += ',';
    out += members;
  }
  blank_controls(out, from);
}

std::string frame_of(const event::Event& event, FrameOptions options) {
  std::string out;
  append_frame(out, event, options);
  return out;
}

}  // namespace parley::runtime
