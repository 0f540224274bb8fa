// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/clock.h"

namespace parley::booking {

// A calendar day at the theater. The type has no time zone, so no conversion can shift the day.
using Day = std::chrono::local_days;

// Parses "2026-11-22": four, two and two digits, and an existing day.
std::optional<Day> parse_day(std::string_view text);
std::string format_day(Day day);

// Converts "HH:MM" to and from minutes since midnight, below 24 h.
std::optional<int> parse_time(std::string_view text);
std::string format_time(int minutes);

// The current day in the time zone of this computer, in which the theaters are.
Day local_day(core::WallTime at);

}  // namespace parley::booking
