// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "model/event/event.h"
#include "runtime/stream/event_parser.h"
#include "runtime/stream/run_event.h"

namespace parley::runtime {

// The live member of the event::Event whose payload is `payload`, stored_payload() of `event`. Null
// if the payload must be parsed: for events with a state, which no watcher looks into and which
// would be in memory twice, and for texts that were no UTF-8 and were repaired in the payload.
event::LivePtr live_form(RunEvent event, std::string_view payload);

// Reads the events of runs: a live one as it was emitted, one from the store from its payload. Both
// give the same result. Reusable; one thread.
class EventReader {
 public:
  // At most one of them; both null: the event is not of a run, or its payload cannot be read. Valid
  // until the next call, and while the event exists.
  struct Read {
    const RunEvent* event = nullptr;
    const Reply* reply = nullptr;
  };
  Read read(const event::Event& event);

 private:
  EventParser parser_;
  StreamLine::Body parsed_;
};

}  // namespace parley::runtime
