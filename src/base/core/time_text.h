// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/clock.h"

// Dates and times as text, all in UTC. Fractions of the smallest unit are cut off, never rounded
// up. Parsers accept exactly the form of the writer, digits where it has digits, and only days and
// times of day that exist (no leap seconds).
namespace parley::core {

// "2026-11-22T01:55:35Z" (RFC 3339).
std::string time_text(WallTime at);
std::optional<WallTime> parse_time(std::string_view text);

// "2026-11-22T01:55:35.007Z" (RFC 3339).
std::string time_text_ms(WallTime at);
std::optional<WallTime> parse_time_ms(std::string_view text);

// "2026-11-22".
std::string day_text(WallTime at);
std::string day_text(std::chrono::year_month_day day);
std::optional<std::chrono::year_month_day> parse_day(std::string_view text);

// "01:55", for a time of day below 24 h.
std::string minute_text(std::chrono::minutes since_midnight);
std::optional<std::chrono::minutes> parse_minute(std::string_view text);

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 section 5.6.7, the preferred form). The name of the
// weekday is not checked.
std::string http_date(WallTime at);
std::optional<WallTime> parse_http_date(std::string_view text);

}  // namespace parley::core
