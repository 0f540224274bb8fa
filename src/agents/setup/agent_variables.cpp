// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/agent_variables.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/core/visible_text.h"

namespace parley::setup {
namespace {

namespace fs = std::filesystem;

// A variable that names an agent's folder. `agent`: its word; empty: all agents with settings below
// `folder`.
struct FolderVariable {
  std::string_view name;
  std::string_view agent;
  std::string_view folder;  // below the home directory, without the variable; empty: that itself
};

constexpr std::array<FolderVariable, 4> kVariables = {{
    {"CLAUDE_CONFIG_DIR", "claude", ".claude"},
    {"CODEX_HOME", "codex", ".codex"},
    {"XDG_CONFIG_HOME", "", ".config"},
    {"HOME", "", ""},
}};

bool is_below(std::string_view file, std::string_view folder) {
  return !file.empty() && (folder.empty() || file.starts_with(std::string(folder) + "/"));
}

bool concerns(const FolderVariable& variable, const AgentFacts& agent) {
  if (!variable.agent.empty()) return agent.word == variable.agent;
  return is_below(agent.user_files.front(), variable.folder) ||
         is_below(agent.hook_file, variable.folder);
}

bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code error;
  // With a slash at the end of both.
  return (fs::weakly_canonical(a, error) / "").lexically_normal() ==
         (fs::weakly_canonical(b, error) / "").lexically_normal();
}

}  // namespace

std::vector<std::string> misplaced_by_variables(const AgentFacts& agent,
                                                const SetupPlaces& places) {
  std::vector<std::string> out;
  for (const FolderVariable& variable : kVariables) {
    const auto set = places.variables.find(std::string(variable.name));
    if (set == places.variables.end() || set->second.empty() || !concerns(variable, agent)) {
      continue;
    }
    const fs::path usual = variable.folder.empty() ? places.home : places.home / variable.folder;
    if (is_same(set->second, usual)) continue;
    std::string line(variable.name);
    line.append(" is ").append(core::visible_line(set->second)).append(": ").append(agent.title);
    line.append(" started from here reads its settings there, and setup writes below ");
    line.append(usual.string()).append(". Start it without ").append(variable.name);
    line.append(", or copy the entries: `parley setup ").append(agent.word);
    out.push_back(line.append(" --dry-run` shows them."));
  }
  return out;
}

std::map<std::string, std::string> variables_of_this_process() {
  std::map<std::string, std::string> out;
  for (const FolderVariable& variable : kVariables) {
    const std::string name(variable.name);
    // Safe: no thread of this program changes the environment.
    const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr) out.emplace(name, value);
  }
  return out;
}

}  // namespace parley::setup
