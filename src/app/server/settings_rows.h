// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/server/settings.h"

// The form in which the rows of the settings table are written:
//   row<&Settings::server, &net::ServerOptions::max_pipelined>(
//       "limits.pipelined", {SettingType::integer, "16", 1, 1024}, "Requests read ahead ..."),
namespace parley::app {

inline constexpr std::int64_t kKiB = 1LL << 10;
inline constexpr std::int64_t kMiB = 1LL << 20;
inline constexpr std::int64_t kGiB = 1LL << 30;
inline constexpr std::int64_t kSecond = 1'000;
inline constexpr std::int64_t kHour = 3'600 * kSecond;
inline constexpr std::int64_t kDay = 24 * kHour;

// The values that a row accepts. Members as in Setting.
struct ValueRange {
  SettingType type;
  std::string_view fallback = {};
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::span<const std::string_view> choices = {};
};

// Converts a value to the type of its member.
template <typename T>
void put(T& member, const SettingValue& value) {
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    member = static_cast<T>(std::get<std::int64_t>(value));
  } else {
    member = std::get<T>(value);
  }
}
inline void put(core::Millis& member, const SettingValue& value) {
  member = core::Millis(std::get<std::int64_t>(value));
}
// 0 is stored as std::nullopt.
inline void put(std::optional<core::Millis>& member, const SettingValue& value) {
  const core::Millis time(std::get<std::int64_t>(value));
  member = time.count() > 0 ? std::optional(time) : std::nullopt;
}
inline void put(std::optional<double>& member, const SettingValue& value) {
  const std::string& text = std::get<std::string>(value);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool complete = error == std::errc() && end == text.data() + text.size();
  member = complete ? std::optional(number) : std::nullopt;
}
inline void put(net::Endpoint& member, const SettingValue& value) {
  member = net::Endpoint::parse(std::get<std::string>(value)).value_or(net::Endpoint{});
}

// The member at the end of a path: pointers to members, or functions that return a reference.
template <auto kFirst, auto... kRest>
auto& member_at(auto& of) {
  auto& next = std::invoke(kFirst, of);
  if constexpr (sizeof...(kRest) == 0) {
    return next;
  } else {
    return member_at<kRest...>(next);
  }
}

// A row whose value needs more than a conversion.
constexpr Setting row(std::string_view key, ValueRange range, std::string_view help,
                      void (*store)(Settings&, const SettingValue&)) {
  return {key, range.type, range.fallback, range.min, range.max, range.choices, help, store};
}

// A row that is stored in the member at the path.
template <auto... kPath>
constexpr Setting row(std::string_view key, ValueRange range, std::string_view help) {
  return row(key, range, help,
             [](Settings& s, const SettingValue& v) { put(member_at<kPath...>(s), v); });
}

// Relay, study logs and booking.
std::span<const Setting> study_settings();
// Models and runs of agents.
std::span<const Setting> run_settings();
// Notifications.
std::span<const Setting> notify_settings();
// Tables that may be repeated: the providers of models, the notifiers.
SettingGroup provider_group();
SettingGroup ntfy_group();
SettingGroup webhook_group();
SettingGroup email_group();

}  // namespace parley::app
