// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/clock.h"

namespace parley::event {

// Base of an event in the types of the room that emitted it. Immutable; any thread reads it.
class Live {
 public:
  // `bytes`: of the object, approximately.
  explicit Live(std::size_t bytes) : bytes_(bytes) {}
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;
  virtual ~Live() = default;

  std::size_t bytes() const { return bytes_; }

 private:
  const std::size_t bytes_;
};
using LivePtr = std::shared_ptr<const Live>;

// One immutable fact in a session. A line of a study log, an entry of a chat's history and a frame
// of a run's stream are dialects' forms of it.
struct Event {
  std::string session;    // id of the session
  std::uint64_t seq = 0;  // from 1 in each session, gapless except before a kNumbersSkipped
  core::WallTime at;
  std::string direction;  // sender and receiver, in the dialect's words: "in", "out", "agent->host"
  std::string type;       // for example "interaction.opened"; see durability_of()
  std::string payload;    // one JSON object, UTF-8, at most limits::kMaxPayloadBytes
  // The same fact as the payload, for watchers that get the event while it is new. Never stored:
  // null in every event that was read from a store. A buffer that keeps events counts its bytes, or
  // drops it.
  LivePtr live = nullptr;
};

// The type of an event that records a gap: no stored event has a number between the previous
// event's and its own. Lost flowing events that watchers saw may have had them.
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
