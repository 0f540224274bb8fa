// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "dialects/api/api.h"

namespace parley::api {

// A position in a session's history, as a client names it: "EPOCH:SEQ" or "SEQ".
struct Position {
  std::string epoch;  // empty: not given
  std::uint64_t seq = 0;
};
core::Result<Position> parse_position(std::string_view text, std::string_view field);

enum class StreamForm : std::uint8_t { sse, ndjson };

struct StreamQuery {
  StreamForm form = StreamForm::sse;
  std::optional<Position> after;   // std::nullopt: from the oldest stored event
  std::vector<std::string> types;  // empty: all
  bool follow = true;              // false: end after the stored events
  std::uint64_t begin = 0;         // earlier events are not shown; a later `after` takes precedence

  // Appends an event to `out`; false: the event is not shown. Empty: as event_json().
  std::function<bool(const event::Event& event, std::string& out)> write;
  // Events only: no lines about gaps, the end or a heartbeat; ids are seqs.
  bool plain = false;
  // For a finished part of a session: events after this one are not shown, and the stream ends
  // there. 0: no such end.
  std::uint64_t end = 0;
  // Type of the event with which another part of the session begins: such an event after `begin` is
  // not shown, and the stream ends there. Empty: none.
  std::string next_begins;
  // For a part of a session that will end: asks whether the event `seq` is its last one;
  // `done(true)` ends the stream. Called for the last written event of type `last_type`, repeatedly
  // until `done(true)` or a later event of that type; and once for the position at which the live
  // events begin, because the client may have seen the end before.
  std::string last_type;
  std::function<void(std::uint64_t seq, core::Scheduler& scheduler,
                     absl::AnyInvocable<void(bool)> done)>
      is_last;
};

// One event in the API's form, on one line.
std::string event_json(const event::Event& event);

// The reason why a stream cannot continue from a position, or empty: "epoch_changed" (history began
// anew, or is shorter than the client's) or "retention" (events in between were deleted).
std::string_view gap_reason(const Position& after, std::string_view epoch, std::uint64_t first_seq,
                            std::uint64_t last_seq);

// Answers `call` with the events of the session `row`: first the stored events, then each new event
// as it becomes visible. No event is lost or repeated in between.
void stream_events(const Context& context, Call call, const event::SessionRow& row,
                   StreamQuery query);

}  // namespace parley::api
