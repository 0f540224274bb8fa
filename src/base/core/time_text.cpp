// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/time_text.h"

#include <algorithm>
#include <array>

namespace parley::core {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::array<std::string_view, 7> kWeekdays = {"Sun", "Mon", "Tue", "Wed",
                                                       "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

void append_digits(std::string& out, std::int64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

// Reads exactly `size` digits, nothing else.
std::optional<int> read_digits(std::string_view text, std::size_t at, std::size_t size) {
  int value = 0;
  for (const char c : text.substr(at, size)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

// True if the text has the size and the characters of the form; '0' in the form stands for a digit
// and 'a' for a letter.
bool has_form(std::string_view text, std::string_view form) {
  return std::equal(text.begin(), text.end(), form.begin(), form.end(),
                    [](char c, char f) { return f == '0' || f == 'a' || f == c; });
}

void append_day(std::string& out, year_month_day day) {
  append_digits(out, static_cast<int>(day.year()), 4);
  out += '-';
  append_digits(out, static_cast<unsigned>(day.month()), 2);
  out += '-';
  append_digits(out, static_cast<unsigned>(day.day()), 2);
}

// "08:49:37"
void append_seconds(std::string& out, std::chrono::seconds since_midnight) {
  const std::chrono::hh_mm_ss parts(since_midnight);
  append_digits(out, parts.hours().count(), 2);
  out += ':';
  append_digits(out, parts.minutes().count(), 2);
  out += ':';
  append_digits(out, parts.seconds().count(), 2);
}

std::optional<std::chrono::seconds> read_seconds(std::string_view text) {
  const auto hour = read_digits(text, 0, 2);
  const auto minute = read_digits(text, 3, 2);
  const auto second = read_digits(text, 6, 2);
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59) {
    return std::nullopt;
  }
  return std::chrono::hours(*hour) + std::chrono::minutes(*minute) + std::chrono::seconds(*second);
}

std::optional<year_month_day> existing_day(std::optional<int> year, std::size_t month,
                                           std::optional<int> day) {
  if (!year || !day) return std::nullopt;
  const year_month_day date{std::chrono::year(*year),
                            std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(*day))};
  return date.ok() ? std::optional(date) : std::nullopt;
}

// "2026-11-22T01:55:35", without a zone.
std::string text_without_zone(WallTime at) {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  std::string out;
  append_day(out, year_month_day(day));
  out += 'T';
  append_seconds(out, std::chrono::floor<std::chrono::seconds>(at - day));
  return out;
}

std::optional<WallTime> read_without_zone(std::string_view text) {
  const auto day = parse_day(text.substr(0, 10));
  const auto time = read_seconds(text.substr(11, 8));
  if (!day || !time) return std::nullopt;
  return WallTime(sys_days(*day)) + *time;
}

}  // namespace

std::string time_text(WallTime at) { return text_without_zone(at) + "Z"; }

std::optional<WallTime> parse_time(std::string_view text) {
  if (!has_form(text, "0000-00-00T00:00:00Z")) return std::nullopt;
  return read_without_zone(text);
}

std::string time_text_ms(WallTime at) {
  std::string out = text_without_zone(at) + ".";
  append_digits(out, (at - std::chrono::floor<std::chrono::seconds>(at)).count(), 3);
  return out + "Z";
}

std::optional<WallTime> parse_time_ms(std::string_view text) {
  if (!has_form(text, "0000-00-00T00:00:00.000Z")) return std::nullopt;
  const auto second = read_without_zone(text);
  const auto ms = read_digits(text, 20, 3);
  if (!second || !ms) return std::nullopt;
  return *second + Millis(*ms);
}

std::string day_text(WallTime at) {
  return day_text(year_month_day(std::chrono::floor<std::chrono::days>(at)));
}

std::string day_text(year_month_day day) {
  std::string out;
  append_day(out, day);
  return out;
}

std::optional<year_month_day> parse_day(std::string_view text) {
  if (!has_form(text, "0000-00-00")) return std::nullopt;
  const auto month = read_digits(text, 5, 2);
  if (!month) return std::nullopt;
  return existing_day(read_digits(text, 0, 4), static_cast<std::size_t>(*month),
                      read_digits(text, 8, 2));
}

std::string minute_text(std::chrono::minutes since_midnight) {
  std::string out;
  append_seconds(out, since_midnight);
  out.resize(out.size() - 3);
  return out;
}

std::optional<std::chrono::minutes> parse_minute(std::string_view text) {
  if (!has_form(text, "00:00")) return std::nullopt;
  const auto time = read_seconds(std::string(text) + ":00");
  if (!time) return std::nullopt;
  return std::chrono::floor<std::chrono::minutes>(*time);
}

std::string http_date(WallTime at) {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const year_month_day date(day);
  std::string out(kWeekdays.at(std::chrono::weekday(day).c_encoding()));
  out += ", ";
  append_digits(out, static_cast<unsigned>(date.day()), 2);
  out.append(" ").append(kMonths.at(static_cast<unsigned>(date.month()) - 1)).append(" ");
  append_digits(out, static_cast<int>(date.year()), 4);
  out += ' ';
  append_seconds(out, std::chrono::floor<std::chrono::seconds>(at - day));
  return out + " GMT";
}

std::optional<WallTime> parse_http_date(std::string_view text) {
  if (!has_form(text, "aaa, 00 aaa 0000 00:00:00 GMT")) return std::nullopt;
  const auto* const month = std::find(kMonths.begin(), kMonths.end(), text.substr(8, 3));
  if (month == kMonths.end()) return std::nullopt;
  const auto day =
      existing_day(read_digits(text, 12, 4), static_cast<std::size_t>(month - kMonths.begin()) + 1,
                   read_digits(text, 5, 2));
  const auto time = read_seconds(text.substr(17, 8));
  if (!day || !time) return std::nullopt;
  return WallTime(sys_days(*day)) + *time;
}

}  // namespace parley::core
