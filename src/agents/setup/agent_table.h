// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The coding agents that `parley setup` knows, and the files of each (docs/setup.md).
namespace parley::setup {

enum class AgentId : std::uint8_t {
  claude,
  codex,
  qwen,
  opencode,
  gemini,
  copilot,
  vscode,
  cursor,
  cline,
  roo,
  goose,
  crush,
  zed,
  kiro,
  amp,
  junie,
  windsurf,
};

// The members of an MCP entry, and the unit of its time-out.
enum class EntryShape : std::uint8_t {
  stdio_ms,    // type "stdio", timeout in ms: Claude Code
  plain_ms,    // timeout in ms: Gemini CLI, Qwen Code
  local_ms,    // type "local", env, tools, timeout in ms: Copilot CLI
  plain,       // no time-out: Cursor, Junie, Windsurf, Amp
  stdio,       // type "stdio", no time-out: VS Code, Crush
  opencode,    // type "local", one list for program and arguments, no time-out of calls
  seconds,     // timeout in s, at most an hour: Cline, Roo Code
  kiro,        // env, disabled, autoApprove
  zed,         // env, timeout in s
  codex_toml,  // tool_timeout_sec
  goose_yaml,  // name, cmd, envs, timeout in s
};

// The way that hooks are installed.
enum class HookShape : std::uint8_t {
  none,
  groups,         // hooks.EVENT[] {matcher, hooks[]} with times in seconds
  groups_ms,      // the same in milliseconds
  cursor_list,    // hooks.EVENT[] {command, timeout}
  crush_list,     // hooks.EVENT[] {name, matcher, command, timeout}
  opencode_file,  // a plugin
  copilot_file,   // a file of its own
  vscode_file,    // a file of its own
  goose_folder,   // a plugin folder
  cline_files,    // programs named by event
};

struct AgentFacts {
  AgentId id;
  std::string_view word;                     // on the command line
  std::string_view title;                    // for a person
  std::array<std::string_view, 2> programs;  // in PATH
  std::array<std::string_view, 2> folders;   // below the home directory
  std::array<std::string_view, 3>
      user_files;                 // of MCP servers; the first that exists, else the first
  std::string_view mac_file;      // in place of user_files on macOS; empty: the same
  std::string_view project_file;  // empty: none
  EntryShape shape;
  std::string_view outer;  // the member that holds the MCP entries
  HookShape hooks;
  std::string_view hook_file;          // below the home directory
  std::string_view project_hook_file;  // empty: none
  bool hooks_need_gate;                // they fire for every tool call
};

inline constexpr std::size_t kAgentCount = 17;
std::span<const AgentFacts, kAgentCount> agent_table();
const AgentFacts& facts_of(AgentId id);
const AgentFacts* agent_named(std::string_view word);

// The surroundings of a setup. Programs take them from the user database and the environment, tests
// from a temporary directory.
struct SetupPlaces {
  std::filesystem::path home;
  std::filesystem::path data;     // Parley's data directory
  std::filesystem::path program;  // absolute path of parley, without symbolic links
  std::filesystem::path working_directory;
  std::vector<std::filesystem::path> search_path;  // PATH
  bool is_mac = false;
  std::map<std::string, std::string> variables;  // of the environment (agent_variables.h)
};

// The program of this name in the search path: a regular file that may be executed. Nothing is
// started.
std::optional<std::filesystem::path> find_program(const SetupPlaces& places, std::string_view name);
// True if the agent's folder exists or its program is in the search path.
bool is_detected(const AgentFacts& agent, const SetupPlaces& places);
// The file that holds the agent's MCP servers. `project`: of a project; else the user's file.
std::filesystem::path mcp_file_of(const AgentFacts& agent, const SetupPlaces& places,
                                  const std::filesystem::path& project);

}  // namespace parley::setup
