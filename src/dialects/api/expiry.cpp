// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/expiry.h"

#include <optional>

#include "base/core/number_text.h"
#include "base/core/time_text.h"

namespace parley::api {
namespace {

constexpr std::int64_t kLongest_s = 100LL * 366 * 86'400;

std::optional<std::int64_t> digits(std::string_view text) {
  return text.starts_with('-') ? std::nullopt : core::parse_number<std::int64_t>(text);
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
  const auto day = core::parse_day(text);
  return day ? std::optional(core::WallTime(std::chrono::sys_days(*day))) : core::parse_time(text);
}

}  // namespace

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
