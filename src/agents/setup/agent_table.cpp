// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/agent_table.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace parley::setup {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kClineGlobal =
    ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
constexpr std::string_view kRooGlobal =
    ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json";
constexpr std::string_view kRooMac =
    "Library/Application Support/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/"
    "mcp_settings.json";

constexpr std::array<AgentFacts, kAgentCount> kTable = {{
    {AgentId::claude,
     "claude",
     "Claude Code",
     {"claude"},
     {".claude"},
     {".claude.json"},
     "",
     ".mcp.json",
     EntryShape::stdio_ms,
     "mcpServers",
     HookShape::groups,
     ".claude/settings.json",
     ".claude/settings.local.json",
     false},
    {AgentId::codex,
     "codex",
     "Codex",
     {"codex"},
     {".codex"},
     {".codex/config.toml"},
     "",
     ".codex/config.toml",
     EntryShape::codex_toml,
     "mcp_servers",
     HookShape::groups,
     ".codex/hooks.json",
     ".codex/hooks.json",
     false},
    {AgentId::qwen,
     "qwen",
     "Qwen Code",
     {"qwen"},
     {".qwen"},
     {".qwen/settings.json"},
     "",
     ".qwen/settings.json",
     EntryShape::plain_ms,
     "mcpServers",
     HookShape::groups_ms,
     ".qwen/settings.json",
     ".qwen/settings.json",
     false},
    {AgentId::opencode,
     "opencode",
     "OpenCode",
     {"opencode"},
     {".config/opencode"},
     {".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"},
     "",
     "opencode.json",
     EntryShape::opencode,
     "mcp",
     HookShape::opencode_file,
     ".config/opencode/plugins/parley.js",
     "",
     false},
    {AgentId::gemini,
     "gemini",
     "Gemini CLI",
     {"gemini"},
     {".gemini"},
     {".gemini/settings.json"},
     "",
     ".gemini/settings.json",
     EntryShape::plain_ms,
     "mcpServers",
     HookShape::groups_ms,
     ".gemini/settings.json",
     ".gemini/settings.json",
     false},
    {AgentId::copilot,
     "copilot",
     "Copilot CLI",
     {"copilot"},
     {".copilot"},
     {".copilot/mcp-config.json"},
     "",
     ".github/mcp.json",
     EntryShape::local_ms,
     "mcpServers",
     HookShape::copilot_file,
     ".copilot/hooks/parley.json",
     "",
     true},
    {AgentId::vscode,
     "vscode",
     "VS Code",
     {"code"},
     {".config/Code", "Library/Application Support/Code"},
     {".config/Code/User/mcp.json"},
     "Library/Application Support/Code/User/mcp.json",
     ".vscode/mcp.json",
     EntryShape::stdio,
     "servers",
     HookShape::vscode_file,
     ".copilot/hooks/parley-vscode.json",
     "",
     true},
    {AgentId::cursor,
     "cursor",
     "Cursor",
     {"cursor", "cursor-agent"},
     {".cursor"},
     {".cursor/mcp.json"},
     "",
     ".cursor/mcp.json",
     EntryShape::plain,
     "mcpServers",
     HookShape::cursor_list,
     ".cursor/hooks.json",
     ".cursor/hooks.json",
     true},
    {AgentId::cline,
     "cline",
     "Cline",
     {"cline"},
     {".cline", "Documents/Cline"},
     {".cline/data/settings/cline_mcp_settings.json", ".cline/mcp.json", kClineGlobal},
     "",
     "",
     EntryShape::seconds,
     "mcpServers",
     HookShape::cline_files,
     "Documents/Cline/Hooks",
     "",
     false},
    {AgentId::roo,
     "roo",
     "Roo Code",
     {},
     {".roo"},
     {kRooGlobal},
     kRooMac,
     ".roo/mcp.json",
     EntryShape::seconds,
     "mcpServers",
     HookShape::none,
     "",
     "",
     false},
    {AgentId::goose,
     "goose",
     "Goose",
     {"goose"},
     {".config/goose"},
     {".config/goose/config.yaml"},
     "",
     "",
     EntryShape::goose_yaml,
     "extensions",
     HookShape::goose_folder,
     ".agents/plugins/parley",
     "",
     false},
    {AgentId::crush,
     "crush",
     "Crush",
     {"crush"},
     {".config/crush"},
     {".config/crush/crush.json"},
     "",
     "crush.json",
     EntryShape::stdio,
     "mcp",
     HookShape::crush_list,
     ".config/crush/crush.json",
     "crush.json",
     true},
    {AgentId::zed,
     "zed",
     "Zed",
     {"zed", "zeditor"},
     {".config/zed"},
     {".config/zed/settings.json"},
     "",
     "",
     EntryShape::zed,
     "context_servers",
     HookShape::none,
     "",
     "",
     false},
    {AgentId::kiro,
     "kiro",
     "Kiro",
     {"kiro", "kiro-cli"},
     {".kiro"},
     {".kiro/settings/mcp.json"},
     "",
     ".kiro/settings/mcp.json",
     EntryShape::kiro,
     "mcpServers",
     HookShape::none,
     "",
     "",
     false},
    {AgentId::amp,
     "amp",
     "Amp",
     {"amp"},
     {".config/amp"},
     {".config/amp/settings.json"},
     "",
     ".amp/settings.json",
     EntryShape::plain,
     "amp.mcpServers",
     HookShape::none,
     "",
     "",
     false},
    {AgentId::junie,
     "junie",
     "Junie",
     {"junie"},
     {".junie"},
     {".junie/mcp/mcp.json"},
     "",
     ".junie/mcp/mcp.json",
     EntryShape::plain,
     "mcpServers",
     HookShape::none,
     "",
     "",
     false},
    {AgentId::windsurf,
     "windsurf",
     "Windsurf",
     {"windsurf"},
     {".codeium/windsurf"},
     {".codeium/windsurf/mcp_config.json"},
     "",
     "",
     EntryShape::plain,
     "mcpServers",
     HookShape::none,
     "",
     "",
     false},
}};

}  // namespace

std::span<const AgentFacts, kAgentCount> agent_table() { return kTable; }

const AgentFacts& facts_of(AgentId id) { return kTable.at(static_cast<std::size_t>(id)); }

const AgentFacts* agent_named(std::string_view word) {
  const auto* found = std::find_if(kTable.begin(), kTable.end(),
                                   [word](const AgentFacts& one) { return one.word == word; });
  return found == kTable.end() ? nullptr : found;
}

std::optional<fs::path> find_program(const SetupPlaces& places, std::string_view name) {
  for (const fs::path& folder : places.search_path) {
    if (!folder.is_absolute()) continue;
    const fs::path file = folder / name;
    std::error_code error;
    if (fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

bool is_detected(const AgentFacts& agent, const SetupPlaces& places) {
  std::error_code error;
  for (const std::string_view folder : agent.folders) {
    if (!folder.empty() && fs::is_directory(places.home / folder, error)) return true;
  }
  return std::any_of(agent.programs.begin(), agent.programs.end(), [&](std::string_view name) {
    return !name.empty() && find_program(places, name).has_value();
  });
}

fs::path mcp_file_of(const AgentFacts& agent, const SetupPlaces& places, const fs::path& project) {
  if (!project.empty()) return project / agent.project_file;
  if (places.is_mac && !agent.mac_file.empty()) return places.home / agent.mac_file;
  std::error_code error;
  for (const std::string_view file : agent.user_files) {
    if (!file.empty() && fs::exists(places.home / file, error)) return places.home / file;
  }
  return places.home / agent.user_files.front();
}

}  // namespace parley::setup
