// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/clock.h"

namespace parley::external_agent {

// Settings of the relay; docs/configuration.md says what each is for.
struct RelayOptions {
  bool newest_host = false;      // a second host replaces the first, as the reference does
  bool strict_sessions = false;  // no tool calls before session.start
  bool require_reason = false;   // of tool calls
  bool compression = true;
  core::Millis host_timeout{15'000};                // a request that the host does not answer
  core::Millis host_silence{30'000};                // a host that answers no ping
  core::Millis join_timeout{30'000};                // a connection that does not join
  std::size_t max_message_bytes = 16U << 20U;       // of the WebSocket: close 1009
  std::size_t max_envelope_bytes = 4U << 20U;       // answered INVALID_MESSAGE
  std::size_t max_depth = 64;                       // of nested JSON: INVALID_MESSAGE
  std::size_t max_agents = 64;                      // in one session
  std::size_t max_requests = 1'024;                 // of one session that wait for the host
  std::size_t max_unlogged_bytes = 4U << 20U;       // clients are not read while more waits, ...
  std::size_t max_all_unlogged_bytes = 32U << 20U;  // ... nor while more of all sessions does
  std::uint64_t max_guest_bytes = 4ULL << 30U;      // that guests record in a day; 0: any
  std::uint64_t max_guest_address_bytes = 1ULL << 30U;  // the same from one address
};

}  // namespace parley::external_agent
