// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "services/search/entry.h"

namespace parley::search {

// The newest questions that statistics() counts.
// Limit (/v1): newest questions of one statistic. Reached: older ones are not counted.
inline constexpr std::size_t kMaxFacts = 200'000;
// Limit of the days of one request.
// Limit (/v1): days of one statistic. Reached: `invalid_argument`.
inline constexpr int kMaxStatisticDays = 400;
// Limit of the agents, projects and people in one answer, those with the most questions.
// Limit (/v1): groups of one statistic. Reached: the groups with the most.
inline constexpr std::size_t kMaxGroups = 100;

// One question, as statistics count it.
struct Fact {
  core::WallTime at;
  std::optional<core::WallTime> closed_at;
  State state = State::pending;
  std::string project;
  std::string agent;
  std::string person;
};

// Times to answer, in milliseconds; std::nullopt: nothing was answered.
struct Figures {
  std::string name;  // of a day ("2026-11-25"), an agent, a project or a person
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;
  std::uint64_t expired = 0;
  std::uint64_t cancelled = 0;
  std::optional<std::int64_t> median_ms;
  std::optional<std::int64_t> p90_ms;
};

struct Statistics {
  std::vector<Figures> days;  // every day of the range, in order
  std::vector<Figures> agents;
  std::vector<Figures> projects;
  std::vector<Figures> people;  // by answers
  std::uint64_t open = 0;       // now
};

// Counts questions that began in [from, to). A day begins at midnight `offset` east of UTC.
Statistics statistics(const std::vector<Fact>& facts, core::WallTime from, core::WallTime to,
                      std::chrono::minutes offset);

}  // namespace parley::search
