// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"

// The permission rules that the server has written into the settings of agents, and their uses:
// files of mode 0600 below DATA/rules. The server changes the list, hooks count the uses.
namespace parley::hook {

// Limit (parley hook): rules in agents' settings. Reached: `resource_exhausted`.
inline constexpr std::size_t kMaxRules = 200;
// Limit (parley hook): file of the rules in agents' settings. Reached: an error.
inline constexpr std::size_t kMaxRuleBytes = 1U << 20U;  // of the list as a file
// Limit (parley hook): uses of a rule with time and folder. Reached: the oldest goes.
inline constexpr std::size_t kMaxUsesKept = 20;  // of one rule, with time and folder

struct Rule {
  std::string id;
  std::string agent;    // its word
  std::string command;  // that it lets through, exactly
  std::string text;     // as the agent's settings have it
  std::filesystem::path file;
  core::WallTime made_at;
  std::string by;  // name of the token that made it
};

struct RuleUse {
  core::WallTime at;
  std::string directory;
};

// The commands that ran under a rule since it was made.
struct RuleUses {
  std::uint64_t count = 0;
  std::vector<RuleUse> last;  // newest first, at most kMaxUsesKept
};

std::filesystem::path rules_folder(const std::filesystem::path& data);

// The list of rules; empty without a file. Errors: `invalid_argument` (not of this form),
// `resource_exhausted` (above kMaxRuleBytes), those of reading.
core::Result<std::vector<Rule>> read_rules(const std::filesystem::path& data);
core::Result<void> write_rules(const std::filesystem::path& data, const std::vector<Rule>& rules);

// None without a file, and for a file that cannot be read.
RuleUses uses_of(const std::filesystem::path& data, std::string_view id);
// Counts a command that `agent` has run, if a rule lets it through. Does nothing without rules.
void count_use(const std::filesystem::path& data, std::string_view agent, std::string_view command,
               std::string_view directory, core::WallTime now);
void forget_uses(const std::filesystem::path& data, std::string_view id);

}  // namespace parley::hook
