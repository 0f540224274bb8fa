// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/unit_check.h"

#include "base/core/limits.h"
#include "model/event/interaction_row.h"
#include "model/event/schema.h"

namespace parley::event {
namespace {

core::Result<void> check_event(const Event& event, std::string_view session, std::uint64_t seq) {
  if (event.session != session) {
    return core::fail(core::Code::invalid_argument,
                      "All events of a unit must belong to one session.", "events.session");
  }
  if (event.seq != seq) {
    return core::fail(core::Code::invalid_argument,
                      "The events of a unit must have consecutive sequence numbers.", "events.seq");
  }
  if (event.payload.size() > core::limits::kMaxPayloadBytes) {
    return core::fail(core::Code::invalid_argument, "The payload of an event is too large.",
                      "events.payload");
  }
  if (event.seq > kMaxSeq) {
    return core::fail(
        core::Code::resource_exhausted,
        "The session has reached the maximum number of events. Start another session.",
        "events.seq");
  }
  return {};
}

bool follows(const Event& event, std::uint64_t expected) {
  return event.seq == expected || (event.seq > expected && event.type == kNumbersSkipped);
}

}  // namespace

std::string_view named_session(const Unit& unit) {
  if (unit.drop) return unit.drop->session;
  if (unit.session) return unit.session->id;
  return unit.events.empty() ? std::string_view() : std::string_view(unit.events.front().session);
}

core::Result<const std::string*> checked_session(const Unit& unit) {
  const std::string* id = nullptr;
  if (unit.session) {
    id = &unit.session->id;
  } else if (!unit.events.empty()) {
    id = &unit.events.front().session;
  }
  if (id == nullptr || id->empty()) {
    return core::fail(core::Code::invalid_argument, "The unit names no session.");
  }
  std::uint64_t seq = unit.events.empty() ? 0 : unit.events.front().seq;
  for (const Event& event : unit.events) {
    PARLEY_TRY_VOID(check_event(event, *id, seq++));
  }
  for (const InteractionChange& change : unit.changes) {
    PARLEY_TRY_VOID(derive_row(unit, change));
  }
  return id;
}

core::Result<void> check_place(const Unit& unit, bool is_stored, std::uint64_t last_seq) {
  if (!is_stored && !unit.session) {
    return core::fail(core::Code::failed_precondition,
                      "The session is not stored: an earlier unit failed.", std::string(kSeqField));
  }
  if (!unit.events.empty() && !follows(unit.events.front(), last_seq + 1)) {
    return core::fail(core::Code::failed_precondition,
                      "The event does not follow the last stored one: an earlier unit failed.",
                      std::string(kSeqField));
  }
  return {};
}

core::Error too_many_sessions() {
  return {core::Code::resource_exhausted,
          "The data directory has reached the maximum number of sessions. Use another data "
          "directory.",
          {}};
}

core::Error session_of_another() {
  return {core::Code::failed_precondition,
          "The session belongs to another token or another protocol.", "session.owner"};
}

core::Error question_is_open() {
  return {core::Code::failed_precondition, "A question of this session is still open.", "session"};
}

core::Error no_such_session() {
  return {core::Code::not_found, "No session has this id.", "session"};
}

}  // namespace parley::event
