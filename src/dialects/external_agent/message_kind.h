// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace parley::external_agent {

enum class RelayRole : std::uint8_t { host, agent };

std::string_view role_name(RelayRole role);

// Kinds of messages, by their handling in the relay. The first six come from agents, the next seven
// from the host, `join` and `unsupported` from either.
enum class MessageKind : std::uint8_t {
  session_start,
  snapshot_get,
  tool_call,
  session_end,
  agent_message,  // has no reply but an error
  agent_status,   // has no reply but an error

  session_started,
  snapshot_state,
  tool_result,
  session_ended,
  error,
  push,  // to every agent: state.updated, session.reset, voice.mode, tts.playback.complete
  user_message,

  join,         // relay.join
  unsupported,  // any other type from this role
};

// The kind of a message of this type from this role (contract section 1.2).
MessageKind kind_of(RelayRole role, std::string_view type);

// True if a request of this kind has a reply when it succeeds.
bool expects_reply(MessageKind request);

// True if `reply` may answer `request`. An error answers every request.
bool answers(MessageKind reply, MessageKind request);

// True if a message of this kind opens a study when none is open (decision 5).
bool opens_study(MessageKind kind);

}  // namespace parley::external_agent
