// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "model/session/interaction.h"

namespace parley::notify {

enum class When : std::uint8_t {
  at_once,
  unseen,    // once no person has seen the question for a time
  deadline,  // a time before the question expires
};

// Daily hours without notices, in the time zone of the server. May span midnight.
struct QuietHours {
  std::chrono::minutes begin{0};
  std::chrono::minutes end{0};  // exclusive; equal to `begin`: never quiet

  // "22:00-07:00"; "" and "none": never quiet. Errors: `invalid_argument`.
  static core::Result<QuietHours> parse(std::string_view text);
  bool operator==(const QuietHours&) const = default;
};

// Offset of local time from UTC at a time.
using ZoneOffset = std::function<std::chrono::seconds(core::WallTime)>;
// The offset of the time zone of this computer.
std::chrono::seconds system_zone_offset(core::WallTime at);

// The first time from `at` on that is not quiet.
core::WallTime after_quiet(const QuietHours& quiet, core::WallTime at, const ZoneOffset& zone);

// True if the whole text fits the pattern: "*" stands for any characters, "?" for one byte.
bool fits_glob(std::string_view pattern, std::string_view text);

// The filter and the time of the notices of one notifier.
struct Rule {
  When when = When::at_once;
  core::Millis after{0};  // for unseen: from the opening; for deadline: before the deadline
  QuietHours quiet = {};
  // Globs; an empty list fits all. Project: the directory or its last part. Agent: name of the
  // agent or of its client. Token: its name or id.
  std::vector<std::string> projects = {};
  std::vector<std::string> agents = {};
  std::vector<std::string> tokens = {};
};

bool fits(const Rule& rule, const session::Prompt& prompt, std::string_view owner,
          std::string_view owner_name);

// The time of the notice; std::nullopt: it would come after the deadline because of quiet hours.
// True if this rule is about questions of this owner, and would tell of one at this time: no quiet
// hours.
bool reaches(const Rule& rule, std::string_view owner, std::string_view owner_name,
             core::WallTime now, const ZoneOffset& zone);

std::optional<core::WallTime> due_at(const Rule& rule, const session::Interaction& interaction,
                                     const ZoneOffset& zone);

}  // namespace parley::notify
