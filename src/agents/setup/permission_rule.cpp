// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/permission_rule.h"

#include <algorithm>
#include <utility>

#include "base/core/try.h"
#include "base/shell/explanation.h"

namespace parley::setup {
namespace {

constexpr mode_t kSettingsMode = 0600;

// Neither a shell nor the rules of an agent read anything else than themselves in these.
constexpr std::string_view kPlainMarks = " _-./=@+,:";

bool is_plain_character(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_letter || (c >= '0' && c <= '9') || kPlainMarks.find(c) != std::string_view::npos;
}

core::Result<void> check_plain(const std::string& command) {
  const auto refuse = [](std::string why) {
    return core::fail(core::Code::failed_precondition, std::move(why), "command");
  };
  if (command.empty() || command.size() > kMaxRuleCommand) {
    return refuse("A rule is for a command of 1 to " + std::to_string(kMaxRuleCommand) + " bytes.");
  }
  const bool is_plain = std::all_of(command.begin(), command.end(), is_plain_character) &&
                        command.find("  ") == std::string::npos && command.front() != ' ' &&
                        command.back() != ' ' &&
                        command.substr(0, command.find(' ')).find('=') == std::string::npos;
  if (!is_plain) {
    return refuse(
        "A rule is for one plain command: letters, digits, spaces and the marks _-./=@+,:");
  }
  const shell::Explanation read = shell::explain(command, {});
  const bool is_dangerous =
      read.has_more || std::any_of(read.notes.begin(), read.notes.end(),
                                   [](const auto& note) { return shell::is_danger(note.kind); });
  if (is_dangerous) return refuse("A rule is not made for a command with a danger.");
  if (!read.problem.empty())
    return refuse("A rule is for a command that is understood as a whole.");
  return {};
}

PermissionRule claude_rule(const std::string& command, const SetupPlaces& places) {
  const AgentFacts& agent = facts_of(AgentId::claude);
  PermissionRule rule{"Bash(" + command + ")", {}};
  rule.plan.path = places.home / agent.hook_file;
  rule.plan.form = JsonForm::plain;
  rule.plan.parts.push_back(element_part("rule", {"permissions", "allow"}, rule.text));
  return rule;
}

}  // namespace

core::Result<PermissionRule> permission_rule(std::string_view agent, const std::string& command,
                                             const SetupPlaces& places) {
  const AgentFacts* facts = agent_named(agent);
  if (facts == nullptr || facts->id != AgentId::claude) {
    return core::fail(core::Code::failed_precondition,
                      "No rule for one exact command is known for this agent.", "agent");
  }
  PARLEY_TRY_VOID(check_plain(command));
  PermissionRule rule = claude_rule(command, places);
  rule.plan.fresh_mode = kSettingsMode;
  rule.plan.is_complete = false;
  rule.plan.reader = facts->title;
  return rule;
}

}  // namespace parley::setup
