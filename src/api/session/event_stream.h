// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "api/api.h"

namespace parley::api {

// A place in a session's history, as a client names it: "EPOCH:SEQ" or "SEQ".
struct Position {
  std::string epoch;  // empty: not said
  std::uint64_t seq = 0;
};
core::Result<Position> parse_position(std::string_view text, std::string_view field);

enum class StreamForm : std::uint8_t { sse, ndjson };

struct StreamQuery {
  StreamForm form = StreamForm::sse;
  std::optional<Position> after;   // nothing said: from the oldest event that is kept
  std::vector<std::string> types;  // empty: all
  bool follow = true;              // false: end after what is stored
  std::uint64_t begin = 0;  // nothing before it is shown; what `after` says counts if it is later

  // Appends an event to `out`; false: it is not shown. Empty: as event_json().
  std::function<bool(const event::Event& event, std::string& out)> write;
  // Nothing but events: no lines that tell of gaps, of the end, or that all is well; ids are seqs.
  bool plain = false;
  // Of a stretch of a session that has ended: nothing after this event is shown, and the stream
  // ends there. 0: it goes on.
  std::uint64_t end = 0;
  // Where another stretch begins, this one is over: an event of this type after `begin` is not
  // shown, and the stream ends. Empty: no type does that.
  std::string next_begins;
  // Of a stretch of a session that ends: asked about the last event of this type that was written,
  // until it is true or a later event comes; and once about the place of a client that has come to
  // the live events, for it may have seen the end before.
  std::string last_type;
  std::function<void(std::uint64_t seq, core::Scheduler& scheduler,
                     absl::AnyInvocable<void(bool)> done)>
      is_last;
};

// One event as the API shows it, on one line.
std::string event_json(const event::Event& event);

// Why a position cannot be read on from, or empty: "epoch_changed" (history began anew, or is
// shorter than the client knows) or "retention" (events between were deleted).
std::string_view gap_reason(const Position& after, std::string_view epoch, std::uint64_t first_seq,
                            std::uint64_t last_seq);

// Answers `call` with the events of the session `row`: first what is stored, then each as it
// becomes visible; none is lost or repeated between the two.
void stream_events(const Context& context, Call call, const event::SessionRow& row,
                   StreamQuery query);

}  // namespace parley::api
