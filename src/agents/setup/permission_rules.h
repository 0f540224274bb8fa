// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agents/hook/rule_list.h"
#include "agents/setup/agent_table.h"
#include "agents/setup/file_plan.h"
#include "base/core/clock.h"
#include "base/core/result.h"

// The permission rules that were made from what a person has allowed. All functions wait for the
// disk. Errors of all: those of hook::read_rules() and of SetupStore::open().

namespace parley::setup {

// Limit (parley hook, bytes): command of a rule. Reached: no rule.
inline constexpr std::size_t kMaxRuleCommand = 200;  // bytes

// A rule by which an agent runs one shell command without asking (docs/setup.md, "Rules").
struct PermissionRule {
  std::string text;  // as the settings have it
  FilePlan plan;     // of the user's own settings
};

// The rule of `agent` for exactly this command, in the user's own settings. Errors:
// `failed_precondition`: the agent keeps no rules of which an exact one is known, or the command is
// not plain: longer than kMaxRuleCommand, with characters that have a meaning for a shell or in a
// rule, with a danger (base/shell/explanation.h), or not understood as a whole.
core::Result<PermissionRule> permission_rule(std::string_view agent, const std::string& command,
                                             const SetupPlaces& places);

// A command that was allowed so often that a rule is proposed.
struct RuleProposal {
  std::string agent;  // its word
  std::string command;
  std::uint64_t allowed = 0;  // times
  core::WallTime first_at;
  core::WallTime last_at;
};

// A rule as the person has seen it before making it.
struct SeenRule {
  std::string agent;
  std::string command;
  std::string text;
  std::string file;
};

// {"rules":[...],"proposals":[...]}, as GET /v1/rules answers: the rules with their uses and
// whether the settings have them still; of `proposals` those for which a rule can be made and is
// none yet.
core::Result<std::string> rules_json(const SetupPlaces& places,
                                     const std::vector<RuleProposal>& proposals);

// Writes a rule into the agent's settings and keeps it in the list. The answer is the rule in JSON.
// Errors: those of permission_rule(); `aborted`: another rule or file would be written than was
// seen; `already_exists`; `resource_exhausted` (kMaxRules); `failed_precondition`: the settings
// cannot be edited, with the reason.
core::Result<std::string> make_rule(const SetupPlaces& places, const SeenRule& seen,
                                    const std::string& id, const std::string& by,
                                    core::WallTime now);

// Takes a rule out of the settings and of the list. Errors: `not_found`; `failed_precondition`: the
// settings cannot be edited, and the rule stays in the list.
core::Result<void> revoke_rule(const SetupPlaces& places, const std::string& id,
                               core::WallTime now);

}  // namespace parley::setup
