// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "base/core/json_text.h"
#include "runtime/stream/finding.h"
#include "runtime/stream/run_event.h"

namespace parley::runtime {

// The line that ends a run.
struct Reply {
  std::string reply;
  std::optional<std::string> reasoning_content;
  std::optional<std::string> stop_reason;  // "end_turn", "cancelled", "error"
  std::optional<std::string> error;        // reason of a failed run, a sentence
  std::optional<std::string> run_id;
  bool operator==(const Reply&) const = default;
};

// An event of an unknown type, kept verbatim.
struct UnknownEvent {
  std::string type;
  std::string json;  // the whole object
  bool operator==(const UnknownEvent&) const = default;
};

// One parsed frame.
struct StreamLine {
  enum class Form : std::uint8_t { typed, exported };
  using Body = std::variant<runtime::RunEvent, Reply, UnknownEvent>;

  Form form = Form::typed;
  std::optional<std::string> session_id;
  std::optional<std::string> node_id;  // never that of got_expand
  std::optional<std::uint64_t> event_id;
  std::optional<std::int64_t> at;  // milliseconds since the epoch
  Body body;

  const runtime::RunEvent* event() const { return std::get_if<runtime::RunEvent>(&body); }
  const Reply* reply() const { return std::get_if<Reply>(&body); }
};

struct LineFault {
  FindingCode code = FindingCode::not_json;
  std::string message;  // a sentence
};

// Parses frames: the typed form and the single-key export form, with and without an envelope, with
// null for absent members, with the shapes of earlier versions, with unknown members. Messages of a
// WebSocket (run_stream_event, run_end) are parsed as their content. Reusable; one thread.
class EventParser {
 public:
  // `line` without its line break.
  tl::expected<StreamLine, LineFault> parse(std::string_view line);

 private:
  using Fields = std::vector<core::JsonField>;
  using Outcome = std::optional<LineFault>;

  Outcome parse_object(std::string_view text, StreamLine& out, int depth);
  Outcome read_envelope(StreamLine& out) const;
  Outcome parse_typed(std::string_view text, const core::JsonField& type, StreamLine& out,
                      int depth);
  Outcome parse_reply(StreamLine& out) const;
  Outcome parse_export(StreamLine& out);

  Fields fields_;
  Fields inner_;
  Fields unused_;
};

// A frame of a sub-agent inside a `custom` event of its caller.
struct SubAgentFrame {
  std::string name;         // of the sub-agent
  std::string call_id;      // of the call that runs it; empty: not given
  std::string event;        // the frame, JSON text
  std::uint64_t index = 0;  // among the sub-agents of the call
};
std::optional<SubAgentFrame> sub_agent_frame(const runtime::Custom& custom);

// Limit of the nesting of sub-agent runs.
// Limit (The Loom stream): nesting of sub-agents. Reached: `too_deeply_nested`.
inline constexpr int kMaxAgentDepth = 16;

// The frame of the innermost sub-agent in an event; std::nullopt if the event has none, or it
// cannot be read.
struct InnerFrame {
  StreamLine frame;
  std::string agent;  // the innermost sub-agent
  int depth = 0;      // nesting of the sub-agents, from 1
};
std::optional<InnerFrame> inner_frame(const runtime::RunEvent& event);

// Limit of the JSON nesting in a line.
// Limit (The Loom stream): nesting of JSON in a line. Reached: `too_deep`.
inline constexpr std::size_t kMaxLineDepth = 256;

}  // namespace parley::runtime
