// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/permission_rules.h"

#include <algorithm>
#include <utility>

#include "agents/setup/file_apply.h"
#include "agents/setup/setup_store.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "base/core/time_text.h"
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

namespace {

// The title of an agent for a person; its word if it is not known.
std::string title_of(const std::string& word) {
  const AgentFacts* facts = agent_named(word);
  return std::string(facts == nullptr ? std::string_view(word) : facts->title);
}

// The notes of rules are apart from those of a setup, so that a setup that is removed does not
// restore a file with its own hooks in it.
core::Result<SetupStore> open_store(const SetupPlaces& places) {
  return SetupStore::open(hook::rules_folder(places.data));
}

bool is_in_settings(const PermissionRule& rule) {
  const auto file = read_config_file(rule.plan.path, {});
  if (!file || !file->exists) return false;
  const auto with = rule.plan.parts.front().install(file->text);
  return with && with->text == file->text;
}

core::Result<void> apply(const PermissionRule& rule, SetupStore& store, const std::string& agent,
                         bool remove, core::WallTime now) {
  const FileResult result =
      apply_file(rule.plan, store, {.agent = agent, .remove = remove, .now = now});
  if (result.action != FileAction::refused && result.action != FileAction::failed) return {};
  return core::fail(core::Code::failed_precondition, rule.plan.path.string() + ": " + result.reason,
                    "file");
}

void write_uses(core::JsonWriter& json, const hook::RuleUses& uses) {
  json.key("uses").begin_object().key("count").number(uses.count);
  json.key("last").objects(uses.last, [](core::JsonWriter& out, const hook::RuleUse& use) {
    out.key("at").string(core::time_text_ms(use.at)).key("directory").string(use.directory);
  });
  json.end_object();
}

void write_rule(core::JsonWriter& json, const SetupPlaces& places, const hook::Rule& rule) {
  const auto known = permission_rule(rule.agent, rule.command, places);
  json.key("id").string(rule.id).key("agent").string(rule.agent);
  json.key("title").string(title_of(rule.agent)).key("command").string(rule.command);
  json.key("rule").string(rule.text).key("file").string(rule.file.string());
  json.key("made_at").string(core::time_text_ms(rule.made_at)).key("by").string(rule.by);
  json.key("present").boolean(known && is_in_settings(*known));
  write_uses(json, hook::uses_of(places.data, rule.id));
}

void write_proposal(core::JsonWriter& json, const RuleProposal& proposal,
                    const PermissionRule& rule) {
  json.begin_object().key("agent").string(proposal.agent);
  json.key("title").string(title_of(proposal.agent)).key("command").string(proposal.command);
  json.key("rule").string(rule.text).key("file").string(rule.plan.path.string());
  json.key("allowed").number(proposal.allowed);
  json.key("first_at").string(core::time_text_ms(proposal.first_at));
  json.key("last_at").string(core::time_text_ms(proposal.last_at)).end_object();
}

bool is_same(const hook::Rule& rule, const std::string& agent, const std::string& command) {
  return rule.agent == agent && rule.command == command;
}

}  // namespace

core::Result<std::string> rules_json(const SetupPlaces& places,
                                     const std::vector<RuleProposal>& proposals) {
  PARLEY_TRY(const std::vector<hook::Rule> rules, hook::read_rules(places.data));
  return core::json_object([&](core::JsonWriter& json) {
    json.key("rules").objects(rules, [&](core::JsonWriter& out, const hook::Rule& rule) {
      write_rule(out, places, rule);
    });
    json.key("proposals").begin_array();
    for (const RuleProposal& proposal : proposals) {
      const bool is_made = std::any_of(rules.begin(), rules.end(), [&](const hook::Rule& rule) {
        return is_same(rule, proposal.agent, proposal.command);
      });
      const auto rule = permission_rule(proposal.agent, proposal.command, places);
      if (!is_made && rule && !is_in_settings(*rule)) write_proposal(json, proposal, *rule);
    }
    json.end_array();
  });
}

core::Result<std::string> make_rule(const SetupPlaces& places, const SeenRule& seen,
                                    const std::string& id, const std::string& by,
                                    core::WallTime now) {
  PARLEY_TRY(const PermissionRule rule, permission_rule(seen.agent, seen.command, places));
  if (seen.text != rule.text || seen.file != rule.plan.path.string()) {
    return core::fail(core::Code::aborted,
                      "The rule is " + rule.text + " in " + rule.plan.path.string() +
                          " now. Look at it again, then decide.",
                      seen.text == rule.text ? "file" : "rule");
  }
  PARLEY_TRY(SetupStore store, open_store(places));
  PARLEY_TRY(std::vector<hook::Rule> rules, hook::read_rules(places.data));
  if (std::any_of(rules.begin(), rules.end(), [&](const hook::Rule& each) {
        return is_same(each, seen.agent, seen.command);
      })) {
    return core::fail(core::Code::already_exists, "There is a rule for this command already.",
                      "command");
  }
  if (rules.size() >= hook::kMaxRules) {
    return core::fail(
        core::Code::resource_exhausted,
        "There are " + std::to_string(hook::kMaxRules) + " rules already: revoke one first.");
  }
  hook::Rule created{id, seen.agent, seen.command, rule.text, rule.plan.path, now, by};
  rules.push_back(created);
  // First the list: a rule in the settings that no list has could not be revoked here.
  PARLEY_TRY_VOID(hook::write_rules(places.data, rules));
  if (auto applied = apply(rule, store, seen.agent, false, now); !applied) {
    rules.pop_back();
    PARLEY_TRY_VOID(hook::write_rules(places.data, rules));
    return core::fail(applied.error());
  }
  return core::json_object([&](core::JsonWriter& json) { write_rule(json, places, created); });
}

core::Result<void> revoke_rule(const SetupPlaces& places, const std::string& id,
                               core::WallTime now) {
  PARLEY_TRY(SetupStore store, open_store(places));
  PARLEY_TRY(std::vector<hook::Rule> rules, hook::read_rules(places.data));
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [&](const hook::Rule& rule) { return rule.id == id; });
  if (found == rules.end()) {
    return core::fail(core::Code::not_found, "There is no rule with this id.", "id");
  }
  PARLEY_TRY(const PermissionRule rule, permission_rule(found->agent, found->command, places));
  PARLEY_TRY_VOID(apply(rule, store, found->agent, true, now));
  rules.erase(found);
  PARLEY_TRY_VOID(hook::write_rules(places.data, rules));
  hook::forget_uses(places.data, id);
  return {};
}

}  // namespace parley::setup
