// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "model/event/session_store.h"

namespace parley::event {

// The session that a unit names first; empty: none, and the unit is malformed.
std::string_view named_session(const Unit& unit);

// The session of all parts of a unit that drops no history; the string is in the unit. Errors:
// `invalid_argument` (parts of several sessions, numbers with a gap, a payload that is too large,
// an impossible change), `resource_exhausted` (no number is left).
core::Result<const std::string*> checked_session(const Unit& unit);

// Checks that the first event of the unit follows `last_seq`, the last one that is stored.
// `is_stored`: the session has a row. Errors: `failed_precondition`.
core::Result<void> check_place(const Unit& unit, bool is_stored, std::uint64_t last_seq);

// The errors of units, the same for every store.
core::Error too_many_sessions();
core::Error session_of_another();
core::Error question_is_open();
core::Error no_such_session();

}  // namespace parley::event
