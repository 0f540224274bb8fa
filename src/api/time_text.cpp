// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "api/time_text.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <optional>

namespace parley::api {
namespace {

using std::chrono::sys_days;

constexpr std::int64_t kLongest_s = 100LL * 366 * 86'400;

std::optional<std::int64_t> digits(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || text.front() == '-' || error != std::errc() ||
      end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<core::WallTime> parse_span(std::string_view text, core::WallTime now) {
  if (text.size() < 2) return std::nullopt;
  std::int64_t factor = 0;
  switch (text.back()) {
    case 's':
      factor = 1;
      break;
    case 'm':
      factor = 60;
      break;
    case 'h':
      factor = 3'600;
      break;
    case 'd':
      factor = 86'400;
      break;
    default:
      return std::nullopt;
  }
  const auto count = digits(text.substr(0, text.size() - 1));
  if (!count || *count > kLongest_s / factor) return std::nullopt;
  return now + std::chrono::seconds(*count * factor);
}

std::optional<core::WallTime> parse_moment(std::string_view text) {
  const bool day_only = text.size() == 10;
  if (!day_only && text.size() != 20) return std::nullopt;
  if (text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = digits(text.substr(0, 4));
  const auto month = digits(text.substr(5, 2));
  const auto day = digits(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  core::WallTime at = std::chrono::time_point_cast<core::Millis>(sys_days(date));
  if (day_only) return at;
  if (text[10] != 'T' || text[13] != ':' || text[16] != ':' || text[19] != 'Z') {
    return std::nullopt;
  }
  const auto hour = digits(text.substr(11, 2));
  const auto minute = digits(text.substr(14, 2));
  const auto second = digits(text.substr(17, 2));
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59) {
    return std::nullopt;
  }
  return at + std::chrono::seconds(*hour * 3'600 + *minute * 60 + *second);
}

}  // namespace

std::string format_time(core::WallTime at) {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(at - day));
  std::array<char, 64> out{};
  const int size = std::snprintf(
      out.data(), out.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
      static_cast<int>(time.seconds().count()));
  return {out.data(), static_cast<std::size_t>(size)};
}

core::Result<core::WallTime> parse_expiry(std::string_view text, core::WallTime now) {
  auto at = parse_span(text, now);
  if (!at) at = parse_moment(text);
  if (!at) {
    return core::fail(core::Code::invalid_argument,
                      "The expiry must be a time from now (12h, 30d), a day (2027-01-31) or a "
                      "moment in UTC (2027-01-31T12:00:00Z).",
                      "expires");
  }
  if (*at <= now) {
    return core::fail(core::Code::invalid_argument, "The expiry must be in the future.", "expires");
  }
  return *at;
}

}  // namespace parley::api
