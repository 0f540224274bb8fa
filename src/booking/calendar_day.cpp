// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "booking/calendar_day.h"

#include <charconv>
#include <ctime>

namespace parley::booking {
namespace {

constexpr int kMinutesPerHour = 60;
constexpr int kHoursPerDay = 24;

// Exactly these digits, nothing else.
std::optional<int> read_digits(std::string_view text) {
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

void append_digits(std::string& out, int value, std::size_t width) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

}  // namespace

std::optional<Day> parse_day(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = read_digits(text.substr(0, 4));
  const auto month = read_digits(text.substr(5, 2));
  const auto day = read_digits(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return Day(date);
}

std::string format_day(Day day) {
  const std::chrono::year_month_day date(day);
  std::string out;
  append_digits(out, static_cast<int>(date.year()), 4);
  out += '-';
  append_digits(out, static_cast<int>(static_cast<unsigned>(date.month())), 2);
  out += '-';
  append_digits(out, static_cast<int>(static_cast<unsigned>(date.day())), 2);
  return out;
}

std::optional<int> parse_time(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  const auto hours = read_digits(text.substr(0, 2));
  const auto minutes = read_digits(text.substr(3, 2));
  if (!hours || !minutes || *hours >= kHoursPerDay || *minutes >= kMinutesPerHour) {
    return std::nullopt;
  }
  return *hours * kMinutesPerHour + *minutes;
}

std::string format_time(int minutes) {
  std::string out;
  append_digits(out, minutes / kMinutesPerHour, 2);
  out += ':';
  append_digits(out, minutes % kMinutesPerHour, 2);
  return out;
}

Day local_day(core::WallTime at) {
  const std::time_t seconds = core::to_unix_s(at);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  return Day(
      std::chrono::year_month_day{std::chrono::year(parts.tm_year + 1900),
                                  std::chrono::month(static_cast<unsigned>(parts.tm_mon + 1)),
                                  std::chrono::day(static_cast<unsigned>(parts.tm_mday))});
}

std::string format_moment(core::WallTime at) {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const core::Millis rest = at - day;
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(rest);
  const auto millis = static_cast<int>((rest - minutes).count());
  std::string out = format_day(Day(day.time_since_epoch()));
  out += 'T';
  out += format_time(static_cast<int>(minutes.count()));
  out += ':';
  append_digits(out, millis / 1000, 2);
  out += '.';
  append_digits(out, millis % 1000, 3);
  out += 'Z';
  return out;
}

}  // namespace parley::booking
