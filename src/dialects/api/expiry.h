// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/core/clock.h"
#include "base/core/result.h"

namespace parley::api {

// Parses the end of a period: a time from now ("90s", "10m", "12h", "30d"), a day ("2027-01-31",
// its beginning, UTC) or a moment ("2027-01-31T12:00:00Z"). Errors: `invalid_argument` (none of
// these forms, or not in the future).
core::Result<core::WallTime> parse_expiry(std::string_view text, core::WallTime now);

}  // namespace parley::api
