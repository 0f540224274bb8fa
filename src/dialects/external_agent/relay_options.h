// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/core/clock.h"

namespace parley::external_agent {

// Settings of the relay; docs/configuration.md describes each.
struct RelayOptions {
  bool newest_host = false;  // a second host replaces the first, as in the reference implementation
  bool strict_sessions = false;  // tool calls need session.start first
  bool require_reason = false;   // tool calls need a reason
  bool compression = true;
  core::Millis host_timeout{15'000};  // a request unanswered by the host for this long fails
  core::Millis host_silence{30'000};  // a host that answers no ping for this long is closed
  // Limit (External agents): time to join. Reached: closed with 1008.
  core::Millis join_timeout{30'000};  // a connection that has not joined by then is closed
  // A larger WebSocket message closes the connection with 1009.
  std::size_t max_message_bytes = 16U << 20U;
  std::size_t max_envelope_bytes = 4U << 20U;  // a larger envelope is answered INVALID_MESSAGE
  // Limit (External agents): nesting of JSON. Reached: `INVALID_MESSAGE`.
  std::size_t max_depth = 64;        // deeper JSON is answered INVALID_MESSAGE
  std::size_t max_agents = 64;       // limit of agents in one session
  std::size_t max_requests = 1'024;  // limit of requests of one session that wait for the host
  // Bytes of a study's records that are not durable; above it reading from its clients pauses.
  // Limit (External agents): records of a session that are not durable. Reached: its clients are
  // not read.
  std::size_t max_unlogged_bytes = 4U << 20U;
  // Limit (External agents): records of all sessions that are not durable; a server uses a quarter
  // of `store.queue_bytes`. Reached: no client of a study is read.
  std::size_t max_all_unlogged_bytes = 32U << 20U;  // the same for all studies together
  std::uint64_t max_guest_bytes = 4ULL << 30U;      // limit of all guests within a day; 0: no limit
  // Limit of one guest address within a day; 0: no limit.
  std::uint64_t max_guest_address_bytes = 1ULL << 30U;
};

}  // namespace parley::external_agent
