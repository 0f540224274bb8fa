// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "model/event/session_store.h"
#include "model/session/interaction.h"

namespace parley::session {

enum class ParticipantRole : std::uint8_t { user, agent, host, observer };

struct ParticipantInfo {
  std::string client_id;  // never reused
  std::string nickname;
  ParticipantRole role = ParticipantRole::user;
  std::string dialect;
  core::WallTime connected_at;
};

enum class Presence : std::uint8_t { joined, left, renamed };

// A line of chat between two participants. Transient: never stored.
struct DirectMessage {
  std::string id;
  ParticipantInfo from;
  ParticipantInfo to;
  std::string text;
  core::WallTime sent_at;
  std::string detail;  // opaque to the model; written and read by the dialect that both use
};

// A message that only one dialect understands. Transient: never stored.
struct Signal {
  std::string dialect;
  std::string type;
  std::string from_client_id;
  std::string body;  // opaque bytes
};

// A participant is writing an answer to a pending interaction. Transient: never stored.
struct Answering {
  std::string key;  // of the interaction
  std::string from_client_id;
  std::string nickname;
};

enum class LeaveReason : std::uint8_t {
  token_revoked,
  shutting_down,
  // Another node owns the session: the client connects again and resumes after visible_seq().
  home_moved,
};

// The text with which a connection is closed.
inline std::string_view leave_text(LeaveReason reason) {
  switch (reason) {
    case LeaveReason::token_revoked:
      return "the token is no longer valid";
    case LeaveReason::shutting_down:
      return "the server is shutting down";
    case LeaveReason::home_moved:
      break;
  }
  return "another node serves this session now: connect again";
}

// The same; for home_moved with the seq to resume after.
inline std::string leave_text(LeaveReason reason, std::uint64_t resume_after) {
  std::string text(leave_text(reason));
  if (reason == LeaveReason::home_moved) {
    text += ", resume after seq " + std::to_string(resume_after);
  }
  return text;
}

// A live connection in a session, as the session sees it. The adapters of the dialects implement
// it, and override the callbacks that their clients need. All calls are on the session's shard. No
// callback may cause the destruction of this participant through the session, except leave() in
// on_leave_required().
class Participant {
 public:
  Participant() = default;
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;
  virtual ~Participant() = default;

  virtual const ParticipantInfo& info() const = 0;

  // An interaction is durable and waits for an answer.
  virtual void on_opened(const InteractionPtr& /*interaction*/) {}
  // The end of an interaction is durable. Also called for the participant that answered.
  virtual void on_closed(const InteractionPtr& /*interaction*/) {}
  virtual void on_presence(const ParticipantInfo& /*who*/, Presence /*what*/) {}
  virtual void on_direct_message(const DirectMessage& /*message*/) {}
  virtual void on_signal(const Signal& /*signal*/) {}
  virtual void on_answering(const Answering& /*answering*/) {}
  // An event of the session became visible (after commit if durable, at once if flowing), in order
  // of seq. Called for every event, those of interactions included.
  virtual void on_event(const event::Event& /*event*/) {}
  // All events of a unit became visible together; by default each is passed to on_event().
  // Override to forward a whole unit to another thread without copying it.
  virtual void on_events(const event::UnitPtr& unit) {
    for (const event::Event& event : unit->events) on_event(event);
  }
  // The session has ended for this participant, which must report that in its protocol, close its
  // connection and leave().
  virtual void on_leave_required(LeaveReason reason) = 0;
};

}  // namespace parley::session
