// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/clock.h"

namespace parley::event {

// One immutable fact in a session. At once the line of a study log, an entry of a chat's history,
// and a frame of a run's stream: the dialects only spell it differently.
struct Event {
  std::string session;    // id of the session
  std::uint64_t seq = 0;  // from 1 in each session, gapless but before a kNumbersSkipped
  core::WallTime at;
  std::string direction;  // who to whom, in the words of its dialect: "in", "out", "agent->host"
  std::string type;       // for example "interaction.opened"; see durability_of()
  std::string payload;    // one JSON object, UTF-8, at most limits::kMaxPayloadBytes
};

// The type of an event that says: the numbers between the event before it and this one are not
// given to any event. They may have been, to flowing events that were seen and then lost.
inline constexpr std::string_view kNumbersSkipped = "numbers.skipped";

enum class Durability : std::uint8_t {
  durable,    // acknowledged and shown to watchers only after its group commit
  flowing,    // shown at once, stored in batches, committed before the next durable event
  transient,  // never stored, has no seq
};

// The class of an event type, from the one table of docs/events.md. A type that the table does not
// know is durable.
Durability durability_of(std::string_view type);

}  // namespace parley::event
