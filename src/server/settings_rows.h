// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/settings.h"

// What the files that hold rows of the settings table share.
namespace parley::app {

inline constexpr std::int64_t kKiB = 1LL << 10;
inline constexpr std::int64_t kMiB = 1LL << 20;
inline constexpr std::int64_t kGiB = 1LL << 30;
inline constexpr std::int64_t kSecond = 1'000;
inline constexpr std::int64_t kHour = 3'600 * kSecond;
inline constexpr std::int64_t kDay = 24 * kHour;

inline const std::string& text_of(const SettingValue& value) {
  return std::get<std::string>(value);
}
inline std::int64_t number_of(const SettingValue& value) { return std::get<std::int64_t>(value); }
inline std::size_t size_of(const SettingValue& value) {
  return static_cast<std::size_t>(number_of(value));
}
inline core::Millis time_of(const SettingValue& value) { return core::Millis(number_of(value)); }

// Relay, study logs and booking.
std::vector<Setting> study_settings();
// Models: what is set of all of them, and the providers, of which there may be many.
std::vector<Setting> provider_settings();
SettingGroup provider_group();
// Runs of agents.
std::vector<Setting> run_settings();

}  // namespace parley::app
