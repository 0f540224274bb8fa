// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/setup_show.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "agents/hook/hook_places.h"
#include "agents/setup/agent_variables.h"
#include "agents/setup/mcp_entry.h"

namespace parley::setup {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

std::optional<JsonDocument> document_at(const fs::path& path) {
  const auto file = read_config_file(path, {});
  if (!file || !file->exists) return std::nullopt;
  auto document = JsonDocument::parse(file->text);
  if (!document) return std::nullopt;
  return *std::move(document);
}

std::string part_state(const FilePlan& file, const FilePart& part, const std::string& text,
                       bool needs_gate) {
  const auto without = part.remove(text, {});
  if (!without) return "not readable";
  const bool has_ours = *without != text;
  const auto with = part.install(text);
  if (!with) return "other program's";
  if (!has_ours) return "absent";
  if (!refused_by(file.form, text).empty()) return "refused by the agent";
  if (needs_gate && part.kind == PartKind::hooks) return "ours";
  return with->text == text ? "ours" : "differs";
}

// The plan with the choices that the hooks on the disk have: a choice is no difference.
AgentPlan plan_as_written(const AgentFacts& agent, const SetupOptions& options,
                          const SetupPlaces& places, const fs::path& project) {
  AgentPlan plan = plan_agent(agent, options, places, project);
  for (const FilePlan& file : plan.files) {
    for (const FilePart& part : file.parts) {
      if (part.kind != PartKind::hooks) continue;
      const auto read = read_config_file(file.path, {});
      if (!read || !read->exists) continue;
      return plan_agent(agent, as_written(options, agent, read->text), places, project);
    }
  }
  return plan;
}

// A hook's time-out in a file of the user that is shorter than the one that setup writes.
std::optional<std::string> short_timeout(const AgentFacts& agent, const JsonDocument& document,
                                         const SetupPlaces& places) {
  for (const WantedHook& hook : wanted_hooks(agent, {}, places.program.string())) {
    const json::value* list = document.find({"hooks", hook.event});
    if (list == nullptr || !list->is_array()) continue;
    for (const json::value& group : list->get_array()) {
      const json::value* handlers =
          group.is_object() ? group.get_object().if_contains("hooks") : nullptr;
      if (handlers == nullptr || !handlers->is_array()) continue;
      for (const json::value& one : handlers->get_array()) {
        if (!one.is_object() || !is_our_hook(one.get_object())) continue;
        const json::value* timeout = one.get_object().if_contains("timeout");
        const bool is_short =
            timeout == nullptr || !timeout->is_int64() || timeout->get_int64() < hook.timeout;
        if (is_short) return hook.event;
      }
    }
  }
  return std::nullopt;
}

void add_project_hints(const AgentFacts& agent, const fs::path& project, AgentState& state) {
  std::vector<fs::path> files;
  if (!agent.project_hook_file.empty()) files.push_back(project / agent.project_hook_file);
  if (agent.id == AgentId::claude) files.push_back(project / ".claude/settings.json");
  for (const fs::path& path : files) {
    const auto document = document_at(path);
    if (!document) continue;
    for (const std::string& event : foreign_hooks(*document)) {
      const bool decides = event == "PermissionRequest" || event == "PreToolUse" ||
                           event == "BeforeTool" || event.starts_with("before");
      if (!decides) continue;
      state.hints.push_back(path.string() + " has a hook of another program for " + event +
                            ", which may answer before a person does.");
    }
    const json::value* off = document->find({"disableAllHooks"});
    if (off != nullptr && off->is_bool()) {
      state.hints.push_back(path.string() + (off->get_bool()
                                                 ? " turns all hooks off in this project."
                                                 : " turns hooks on in this project, whatever the "
                                                   "user's settings say."));
    }
  }
  if (agent.project_file.empty() || agent.shape == EntryShape::codex_toml) return;
  const auto document = document_at(project / agent.project_file);
  if (!document) return;
  const json::value* entry = document->find({std::string(agent.outer), std::string(kMcpName)});
  if (entry != nullptr && !is_our_entry(*entry)) {
    state.hints.push_back((project / agent.project_file).string() +
                          " runs another program under the "
                          "name agent-assistant.");
  }
}

void add_program_hint(const JsonDocument& document, const AgentFacts& agent, AgentState& state) {
  const json::value* command =
      document.find({std::string(agent.outer), std::string(kMcpName), "command"});
  if (command != nullptr && command->is_array() && !command->get_array().empty()) {
    command = &command->get_array().front();
  }
  if (command == nullptr || !command->is_string()) return;
  const fs::path program(std::string(command->get_string()));
  std::error_code error;
  if (!program.is_absolute()) {
    state.hints.push_back(
        "The MCP entry names its program without a folder: another one of this name "
        "in PATH would run.");
  } else if (!fs::exists(program, error)) {
    state.hints.push_back("The program of the MCP entry is not there: " + program.string());
  }
}

void add_user_hints(const AgentFacts& agent, const SetupPlaces& places, AgentState& state) {
  if (agent.shape != EntryShape::codex_toml && agent.shape != EntryShape::goose_yaml) {
    if (const auto entry = document_at(mcp_file_of(agent, places, {}))) {
      add_program_hint(*entry, agent, state);
    }
  }
  if (agent.hook_file.empty()) return;
  const auto hooks = document_at(places.home / agent.hook_file);
  if (hooks) {
    const json::value* off = hooks->find({"disableAllHooks"});
    if (off != nullptr && off->is_bool() && off->get_bool()) {
      state.hints.emplace_back("disableAllHooks is on: no hook runs.");
    }
    if (agent.id == AgentId::claude) {
      const json::value* mode = hooks->find({"permissions", "defaultMode"});
      if (mode != nullptr && *mode == json::value("auto")) {
        state.hints.emplace_back(
            "permissions.defaultMode is auto: a model decides about permissions, nobody is asked.");
      }
    }
    if (const auto event = short_timeout(agent, *hooks, places)) {
      state.hints.push_back("The time-out of the hook for " + *event +
                            " is too short: questions end early.");
    }
  }
  if (agent.id != AgentId::codex) return;
  const hook::HookPlaces user{places.home, places.home / ".config", places.data};
  if (hook::codex_reviews_itself(user)) {
    state.hints.emplace_back(
        "approvals_reviewer: a model decides about permissions, nobody is asked.");
  }
  if (hooks) {
    state.hints.emplace_back(
        "Codex runs a hook only when it is trusted: /hooks in Codex shows it.");
  }
}

}  // namespace

AgentState state_of(const AgentFacts& agent, const SetupOptions& options, const SetupPlaces& places,
                    const fs::path& project, const fs::path& around) {
  AgentState state;
  state.agent = &agent;
  state.is_found = is_detected(agent, places);
  const AgentPlan plan = plan_as_written(agent, options, places, project);
  for (const FilePlan& file : plan.files) {
    const auto read = read_config_file(file.path, {});
    for (const FilePart& part : file.parts) {
      const std::string found =
          read ? part_state(file, part, read->text, agent.hooks_need_gate) : "not readable";
      const bool is_ours = found == "ours" || found == "differs";
      if (is_ours && read && part.kind == PartKind::hooks)
        state.asks = asks_when(agent, read->text);
      state.parts.push_back({file.path, part.title, found});
    }
    const std::string why = read ? refused_by(file.form, read->text) : std::string();
    if (!why.empty()) {
      state.hints.push_back(std::string(agent.title) + " refuses " + file.path.string() +
                            " as a whole, because " + why + ".");
    }
  }
  add_user_hints(agent, places, state);
  if (project.empty()) {
    for (std::string& text : misplaced_by_variables(agent, places)) {
      state.hints.push_back(std::move(text));
    }
  }
  if (!around.empty()) add_project_hints(agent, around, state);
  return state;
}

}  // namespace parley::setup
