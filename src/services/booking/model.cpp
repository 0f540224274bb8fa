// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/booking/model.h"

#include <ctime>

#include "base/core/time_text.h"

namespace parley::booking {

std::optional<Day> parse_day(std::string_view text) {
  const auto day = core::parse_day(text);
  return day ? std::optional(Day(*day)) : std::nullopt;
}

std::string format_day(Day day) { return core::day_text(std::chrono::year_month_day(day)); }

std::optional<int> parse_time(std::string_view text) {
  const auto minutes = core::parse_minute(text);
  return minutes ? std::optional(static_cast<int>(minutes->count())) : std::nullopt;
}

std::string format_time(int minutes) { return core::minute_text(std::chrono::minutes(minutes)); }

Day local_day(core::WallTime at) {
  const std::time_t seconds = core::to_unix_s(at);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  return Day(
      std::chrono::year_month_day{std::chrono::year(parts.tm_year + 1900),
                                  std::chrono::month(static_cast<unsigned>(parts.tm_mon + 1)),
                                  std::chrono::day(static_cast<unsigned>(parts.tm_mday))});
}

}  // namespace parley::booking
