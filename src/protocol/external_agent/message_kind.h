// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace parley::external_agent {

enum class RelayRole : std::uint8_t { host, agent };

std::string_view role_name(RelayRole role);

// What the relay does with a message. The first six come from agents, the others from the host.
enum class MessageKind : std::uint8_t {
  session_start,
  snapshot_get,
  tool_call,
  session_end,
  agent_message,  // no reply but an error
  agent_status,   // the same

  session_started,
  snapshot_state,
  tool_result,
  session_ended,
  error,
  push,  // to every agent: state.updated, session.reset, voice.mode, tts.playback.complete
  user_message,

  join,         // relay.join, of either role
  unsupported,  // whatever this role may not send
};

// The kind of a message of this type from this role (contract section 1.2).
MessageKind kind_of(RelayRole role, std::string_view type);

// Whether a request is answered when it succeeds.
bool expects_reply(MessageKind request);

// Whether `reply` may answer `request`. An error answers every request.
bool answers(MessageKind reply, MessageKind request);

// Whether such a message opens a study session when none is open (decision 5).
bool opens_study(MessageKind kind);

}  // namespace parley::external_agent
