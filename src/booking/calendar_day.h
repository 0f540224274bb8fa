// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"

namespace parley::booking {

// A calendar day at the theater. It has no time zone, so that no conversion can shift it.
using Day = std::chrono::local_days;

// "2026-11-22": four, two and two digits, and a day that exists.
std::optional<Day> parse_day(std::string_view text);
std::string format_day(Day day);

// "HH:MM", minutes since midnight below 24 h.
std::optional<int> parse_time(std::string_view text);
std::string format_time(int minutes);

// The current day in this computer's time zone: theaters are in the server's zone.
Day local_day(core::WallTime at);

}  // namespace parley::booking
