// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/interaction_row.h"

#include <string>

#include "base/core/assert.h"

namespace parley::event {
namespace {

tl::unexpected<core::Error> misfit(const char* message, const char* field) {
  return core::fail(core::Code::invalid_argument, message, field);
}

bool is_end(std::string_view state) {
  return state == "answered" || state == "cancelled" || state == "expired";
}

}  // namespace

core::Result<DerivedRow> derive_row(const Unit& unit, const InteractionChange& change) {
  if (change.event >= unit.events.size()) {
    return misfit("The change of an interaction names an event that is not in its unit.",
                  "changes.event");
  }
  const Event& event = unit.events[change.event];
  if (change.key.empty() || change.id.empty()) {
    return misfit("The change has no key or id of an interaction.", "changes.key");
  }
  DerivedRow row;
  row.session = event.session;
  row.key = change.key;
  row.id = change.id;
  if (event.type == kInteractionOpened) {
    if (!change.state.empty()) {
      return misfit("A new interaction must not have a final state.", "changes.state");
    }
    row.opens = true;
    row.state = kPendingState;
    row.kind = change.kind;
    row.fingerprint = change.fingerprint;
    row.opened_at = event.at;
    row.deadline = change.deadline;
    row.opened_seq = event.seq;
    row.in_inbox = change.in_inbox;
    return row;
  }
  if (event.type != kInteractionClosed) {
    return misfit("An event of this type neither opens nor closes an interaction.",
                  "changes.event");
  }
  PARLEY_ASSERT(
      row.closed_seq == 0 && !row.opens,
      "interaction " + change.key + ": opened and closed by event " + std::to_string(event.seq));
  if (!is_end(change.state)) {
    return misfit("The final state of an interaction must be answered, cancelled or expired.",
                  "changes.state");
  }
  row.state = change.state;
  row.closed_seq = event.seq;
  return row;
}

core::Error interaction_is_final() {
  return {core::Code::failed_precondition, "The interaction is already closed.", "changes.key"};
}

InteractionRow row_of(const DerivedRow& opened) {
  PARLEY_ASSERT(opened.opens && opened.opened_seq > 0 && opened.closed_seq == 0,
                "interaction " + std::string(opened.key) + ": a new row of state " +
                    std::string(opened.state) + ", opened by event " +
                    std::to_string(opened.opened_seq) + ", closed by event " +
                    std::to_string(opened.closed_seq));
  return InteractionRow{std::string(opened.session),
                        std::string(opened.key),
                        std::string(opened.id),
                        std::string(opened.kind),
                        std::string(opened.state),
                        std::string(opened.fingerprint),
                        opened.opened_at,
                        opened.deadline,
                        opened.opened_seq,
                        0,
                        0};
}

}  // namespace parley::event
