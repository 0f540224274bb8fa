// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/result.h"

namespace parley::event {

// The end of an interaction in the chain of its workspace. Retention drops the events of a
// decision; the decision stays.
struct Decision {
  std::string workspace;     // owner of the session
  std::uint64_t number = 0;  // from 1 in each workspace, gapless
  std::string session;
  std::uint64_t seq = 0;  // of the event `interaction.closed`
  core::WallTime at;      // of that event
  std::string closed;     // SHA-256 of its payload, in hexadecimal digits, as is
  std::string hash;       // decision_hash(), in hexadecimal digits
};

// The hash of a decision, 32 bytes: the SHA-256 of its members and of `previous`, the hash of the
// decision before it in hexadecimal digits. The form is part of docs/events.md, "Decisions".
std::string decision_hash(const Decision& decision, std::string_view previous);

// `previous` of decision 1: 64 digits 0.
inline constexpr std::string_view kNoDecision =
    "0000000000000000000000000000000000000000000000000000000000000000";

// A decision with what is kept of it.
struct RecordedDecision {
  Decision decision;
  std::optional<std::string> opened_payload;  // std::nullopt: the event is not kept
  std::optional<std::string> closed_payload;
  bool dropped = false;  // by retention, one event or both: what is not kept is no fault
};

// An interaction that ended and has no decision.
struct Undecided {
  std::string workspace;
  std::string session;
  std::string key;
  core::WallTime at;  // of its end
};

using DecisionSink = std::function<core::Result<void>(const RecordedDecision& decision)>;
using UndecidedSink = std::function<void(const Undecided& undecided)>;

// One line of an export of decisions, with its line feed; its form is part of docs/events.md.
std::string decision_line(const RecordedDecision& kept);
// Reads such a line, without its line feed. Errors: `invalid_argument` with the member that is
// missing or of a wrong form as field.
core::Result<RecordedDecision> read_decision_line(std::string_view line);

}  // namespace parley::event
