// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "model/event/session_store.h"

namespace parley::event {

inline constexpr std::string_view kInteractionOpened = "interaction.opened";
inline constexpr std::string_view kInteractionClosed = "interaction.closed";
inline constexpr std::string_view kPendingState = "pending";

// The columns of an interaction's row that one event writes, as views into the unit: all but
// `closed_seq` of a new row if the event opens it, or `state` and `closed_seq` of the pending row
// of
// (`session`, `key`, `id`) if it closes it.
struct DerivedRow {
  bool opens = false;
  std::string_view session;
  std::string_view key;
  std::string_view id;
  std::string_view state;
  std::string_view kind;
  std::string_view fingerprint;
  core::WallTime opened_at;
  core::WallTime deadline;
  std::uint64_t opened_seq = 0;
  std::uint64_t closed_seq = 0;
  bool in_inbox = false;
};

// Derives the row that a change writes. Every store uses it, so that all agree. Errors:
// `invalid_argument` (the change names no interaction, no event of its unit, an event that neither
// opens nor closes an interaction, or an invalid end).
core::Result<DerivedRow> derive_row(const Unit& unit, const InteractionChange& change);

// The error of a change whose pending row does not exist, or whose key is already used:
// `failed_precondition`.
core::Error interaction_is_final();

// The row of a new interaction.
InteractionRow row_of(const DerivedRow& opened);

}  // namespace parley::event
