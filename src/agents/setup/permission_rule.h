// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "agents/setup/agent_table.h"
#include "agents/setup/file_plan.h"
#include "base/core/result.h"

// The rules by which agents run one shell command without asking (docs/setup.md, "Rules").
namespace parley::setup {

inline constexpr std::size_t kMaxRuleCommand = 200;  // bytes

struct PermissionRule {
  std::string text;  // as the settings have it
  FilePlan plan;     // of the user's own settings
};

// The rule of `agent` for exactly this command, in the user's own settings. Errors:
// `failed_precondition`: the agent keeps no rules of which an exact one is known, or the command is
// not plain: longer than kMaxRuleCommand, with characters that have a meaning for a shell or in a
// rule, with a danger (base/shell/note.h), or not understood as a whole.
core::Result<PermissionRule> permission_rule(std::string_view agent, const std::string& command,
                                             const SetupPlaces& places);

}  // namespace parley::setup
