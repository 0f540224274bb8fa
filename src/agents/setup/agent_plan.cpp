// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/agent_plan.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <utility>

#include "agents/hook/hook_places.h"
#include "agents/setup/mcp_entry.h"
#include "agents/setup/text_lines.h"
#include "base/core/ascii.h"

namespace parley::setup {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr mode_t kUserMode = 0600;
constexpr mode_t kProjectMode = 0644;
constexpr const char* kForeground = "CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS";

struct Planner {
  const AgentFacts& agent;
  const SetupOptions& options;
  const SetupPlaces& places;
  const fs::path& project;
  AgentPlan plan;

  bool in_project() const { return !project.empty(); }
  mode_t fresh_mode() const { return in_project() ? kProjectMode : kUserMode; }
  bool installs() const { return !options.remove && !options.show; }
  // The committed files of a project are for other people too, who have parley elsewhere.
  std::string program() const {
    return in_project() && options.shared ? "parley" : places.program.string();
  }

  void add(const fs::path& path, FilePart part, bool is_complete) {
    const auto same = std::find_if(plan.files.begin(), plan.files.end(),
                                   [&](const FilePlan& file) { return file.path == path; });
    if (same != plan.files.end()) {
      same->parts.push_back(std::move(part));
      return;
    }
    FilePlan file;
    file.path = path;
    file.fresh_mode = fresh_mode();
    file.is_complete = is_complete;
    file.form = form_of(path);
    file.reader = agent.title;
    file.parts.push_back(std::move(part));
    plan.files.push_back(std::move(file));
  }

  // True if Claude Code holds long calls in the foreground, by this setup or one before.
  bool holds_calls() const;
  // True if there are hooks for notices to add, and no hooks of a setup before, which may have a
  // gate.
  bool tells_without_gate() const;
  JsonForm form_of(const fs::path& path) const;
  void add_mcp();
  void add_rule();
  void add_hooks();
  void add_listed_hooks();
  void add_steps();
};

bool is_local_claude(const Planner& planner) {
  return planner.agent.id == AgentId::claude && planner.in_project() && !planner.options.shared;
}

fs::path hook_file_of(const Planner& planner) {
  const AgentFacts& agent = planner.agent;
  if (!planner.in_project()) return planner.places.home / agent.hook_file;
  if (agent.id == AgentId::claude && planner.options.shared) {
    return planner.project / ".claude/settings.json";
  }
  return planner.project / agent.project_hook_file;
}

fs::path entry_file_of(const Planner& planner) {
  if (is_local_claude(planner)) return mcp_file_of(planner.agent, planner.places, {});
  return mcp_file_of(planner.agent, planner.places, planner.project);
}

void Planner::add_mcp() {
  if (in_project() && agent.project_file.empty()) {
    plan.refusals.push_back(std::string(agent.title) +
                            " has no file for the MCP servers of a "
                            "project; leave out --project.");
    return;
  }
  const bool is_alone = hook_file_of(*this) != entry_file_of(*this);
  const bool is_complete = is_alone || (!options.mcp_only && !options.hooks_only);
  if (agent.shape == EntryShape::codex_toml) {
    add(entry_file_of(*this), mcp_toml_part(agent, program(), options.force), is_complete);
  } else if (agent.shape == EntryShape::goose_yaml) {
    add(entry_file_of(*this), mcp_yaml_part(agent, program(), options.force), is_complete);
  } else {
    JsonPath outer{std::string(agent.outer)};
    if (is_local_claude(*this)) outer = {"projects", project.string(), "mcpServers"};
    plan.entry = mcp_entry(agent, program(), {holds_calls(), options.trust});
    add(entry_file_of(*this), mcp_json_part(std::move(outer), plan.entry, options.force),
        is_complete);
  }
  if (agent.id == AgentId::claude) add_rule();
  if (agent.id == AgentId::claude && !in_project() && (options.foreground || options.remove)) {
    add(hook_file_of(*this), member_part({"env", kForeground}, "0"), !options.mcp_only);
  }
}

// By this rule Claude Code uses the tools of the server without asking.
void Planner::add_rule() {
  if (!options.trust && !options.remove) return;
  add(hook_file_of(*this),
      element_part("rule for the tools", {"permissions", "allow"}, "mcp__" + std::string(kMcpName)),
      !options.mcp_only);
}

bool Planner::holds_calls() const {
  if (agent.id != AgentId::claude) return false;
  if (options.foreground) return true;
  const auto file = read_config_file(places.home / agent.hook_file, {});
  if (!file || !file->exists) return false;
  const auto document = JsonDocument::parse(file->text);
  const json::value* set = document ? document->find({"env", kForeground}) : nullptr;
  return set != nullptr && *set == json::value("0");
}

bool Planner::tells_without_gate() const {
  const bool is_own_file =
      agent.hooks == HookShape::copilot_file || agent.hooks == HookShape::vscode_file;
  if (!is_own_file || in_project()) return false;
  const auto file = read_config_file(places.home / agent.hook_file, {});
  return file && file->text.find("--gate") == std::string::npos;
}

// Claude Code refuses its settings for one comment, Qwen Code ends at one trailing comma.
JsonForm Planner::form_of(const fs::path& path) const {
  if (agent.id == AgentId::claude && path == hook_file_of(*this)) return JsonForm::plain;
  if (agent.id == AgentId::qwen) return JsonForm::no_trailing_commas;
  return JsonForm::tolerant;
}

void Planner::add_listed_hooks() {
  if (in_project() && agent.project_hook_file.empty()) {
    plan.refusals.push_back(std::string(agent.title) + " has no file for the hooks of a project.");
    return;
  }
  const bool is_complete = !options.mcp_only && !options.hooks_only;
  const bool is_alone = agent.id != AgentId::claude && hook_file_of(*this) != entry_file_of(*this);
  add(hook_file_of(*this), hooks_part(agent.hooks, wanted_hooks(agent, options, program())),
      is_complete || is_alone);
}

void Planner::add_hooks() {
  if (agent.hooks == HookShape::none) return;
  if (agent.hooks_need_gate && options.gate.empty() && installs()) {
    const std::string example = agent.id == AgentId::copilot ? ", for example bash,edit" : "";
    plan.next.push_back(
        std::string(agent.title) +
        " runs hooks before every call of a tool, allowed or not. With --gate TOOLS "
        "(names, separated by commas" +
        example + ") Parley asks about these tools.");
    if (!tells_without_gate()) return;
  }
  const hook::HookPlaces user{places.home, places.home / ".config", places.data};
  if (agent.id == AgentId::codex && installs() && !options.force &&
      hook::codex_reviews_itself(user)) {
    plan.refusals.emplace_back(
        "The hooks are left out: in ~/.codex/config.toml a model decides about permissions "
        "(approvals_reviewer), so that nobody is asked. --force installs them.");
    return;
  }
  const bool is_listed = agent.hooks == HookShape::groups || agent.hooks == HookShape::groups_ms ||
                         agent.hooks == HookShape::cursor_list ||
                         agent.hooks == HookShape::crush_list;
  if (is_listed) return add_listed_hooks();
  if (in_project()) {
    plan.refusals.push_back(std::string(agent.title) + " has no file for the hooks of a project.");
    return;
  }
  for (FilePlan& file : own_hook_files(agent, options, places))
    plan.files.push_back(std::move(file));
}

// True if a file of the project that Git reads names Claude Code's own settings.
bool is_ignored(const fs::path& project) {
  for (const char* name : {".gitignore", ".claude/.gitignore", ".git/info/exclude"}) {
    const auto file = read_config_file(project / name, project);
    if (!file) continue;
    for (const std::string& line : lines_of(file->text)) {
      const std::string_view rule = core::trimmed(line);
      if (rule.ends_with("settings.local.json") || rule.ends_with("*.local.json") ||
          rule.ends_with(".claude") || rule.ends_with(".claude/") || rule.ends_with(".claude/*")) {
        return !rule.starts_with('#') && !rule.starts_with('!');
      }
    }
  }
  return false;
}

void Planner::add_steps() {
  if (!installs()) return;
  if (in_project() && options.shared) {
    plan.warnings.emplace_back(
        "The entry names the program as `parley`, without its folder: each person who uses the "
        "project runs the first one in their PATH.");
  } else if (agent.id == AgentId::claude && in_project()) {
    if (!options.mcp_only && !is_ignored(project)) {
      plan.warnings.emplace_back(
          "No .gitignore of the project names .claude/settings.local.json: do not commit it.");
    }
  } else if (in_project()) {
    plan.warnings.emplace_back(
        "The files are part of the project and hold a path of this computer: "
        "do not commit them, or use --shared.");
  }
  if (agent.id == AgentId::codex && !options.mcp_only && plan.refusals.empty()) {
    plan.next.emplace_back(
        "In Codex, run /hooks and trust the entry of parley; Codex skips it until "
        "then. Trust it again after each change of the entry.");
  }
  if (agent.id == AgentId::claude && !options.hooks_only && !holds_calls() && !in_project()) {
    plan.next.emplace_back(
        "Claude Code waits for an answer in calls of under two minutes, because it takes longer "
        "ones for no input of a person. --foreground lets it wait in one call, for all MCP "
        "servers.");
  }
  const bool asks_twice =
      agent.id == AgentId::claude || agent.id == AgentId::qwen || agent.id == AgentId::gemini;
  if (asks_twice && !options.hooks_only && !options.trust) {
    plan.next.push_back(std::string(agent.title) +
                        " may ask for permission before each question that it asks you; --trust "
                        "adds its own rule for Parley's tools.");
  }
  if ((agent.id == AgentId::claude || agent.id == AgentId::qwen) && !options.mcp_only) {
    plan.next.push_back(std::string(agent.title) +
                        " asks nobody in its auto mode, where a model decides: choose another "
                        "mode for questions in the inbox.");
  }
  if (agent.id == AgentId::junie) {
    plan.next.emplace_back(
        "JetBrains AI Assistant has no file: add the same entry on its settings "
        "page, under Model Context Protocol.");
  }
  if (agent.id == AgentId::kiro && !options.mcp_only) {
    plan.next.emplace_back("The hooks of Kiro can only refuse a tool: none are installed.");
  }
  plan.next.push_back("Start " + std::string(agent.title) + " again.");
}

}  // namespace

bool is_claude_state_file(const AgentFacts& agent, const SetupPlaces& places,
                          const fs::path& file) {
  return agent.id == AgentId::claude && file == mcp_file_of(agent, places, {});
}

AgentPlan plan_agent(const AgentFacts& agent, const SetupOptions& options,
                     const SetupPlaces& places, const fs::path& project) {
  Planner planner{agent, options, places, project, {}};
  planner.plan.agent = &agent;
  if (!options.hooks_only) planner.add_mcp();
  if (!options.mcp_only) planner.add_hooks();
  planner.add_steps();
  return std::move(planner.plan);
}

}  // namespace parley::setup
