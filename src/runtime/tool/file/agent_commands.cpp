// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/agent_commands.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/utf8.h"
#include "base/core/visible_text.h"
#include "runtime/tool/file/file_access.h"
#include "runtime/tool/file/tree_walk.h"

namespace parley::tool {
namespace {

// Limit (/v1): entries read in one folder of commands. Reached: the others are not offered.
constexpr std::size_t kMaxSearched = 5000;  // entries of one folder of commands
constexpr std::string_view kSkillFile = "SKILL.md";

// A folder of an agent. Its commands are files with `suffix`; those of a folder without a suffix
// are skills.
struct CommandFolder {
  std::string_view agent;  // part of the client's name, in small letters; empty: every agent
  std::string_view path;
  std::string_view suffix;
};

// From the documentation of the agents. Each is searched in the project and in the home of the
// server's user, because an agent that keeps commands in one of them only has none in the other.
constexpr auto kFolders = std::to_array<CommandFolder>({
    {"claude", ".claude/commands", ".md"},
    {"claude", ".claude/skills", ""},
    {"codex", ".codex/prompts", ".md"},
    {"codex", ".codex/skills", ""},
    {"cursor", ".cursor/commands", ".md"},
    {"cursor", ".cursor/skills", ""},
    {"windsurf", ".windsurf/workflows", ".md"},
    {"windsurf", ".windsurf/skills", ""},
    {"windsurf", ".codeium/windsurf/global_workflows", ".md"},
    {"copilot", ".github/prompts", ".prompt.md"},
    {"copilot", ".github/skills", ""},
    {"copilot", ".copilot/skills", ""},
    {"visual studio code", ".github/prompts", ".prompt.md"},
    {"visual studio code", ".github/skills", ""},
    {"vscode", ".github/prompts", ".prompt.md"},
    {"vscode", ".github/skills", ""},
    {"gemini", ".gemini/commands", ".toml"},
    {"gemini", ".gemini/skills", ""},
    {"antigravity", ".agent/workflows", ".md"},
    {"antigravity", ".agent/skills", ""},
    {"qwen", ".qwen/commands", ".toml"},
    {"qwen", ".qwen/commands", ".md"},
    {"qwen", ".qwen/skills", ""},
    {"opencode", ".opencode/command", ".md"},
    {"opencode", ".opencode/commands", ".md"},
    {"opencode", ".opencode/skill", ""},
    {"opencode", ".opencode/skills", ""},
    {"opencode", ".config/opencode/command", ".md"},
    {"opencode", ".config/opencode/commands", ".md"},
    {"cline", ".clinerules/workflows", ".md"},
    {"cline", ".cline/skills", ""},
    {"cline", "Documents/Cline/Workflows", ".md"},
    {"roo", ".roo/commands", ".md"},
    {"roo", ".roo/skills", ""},
    {"kilo", ".kilocode/workflows", ".md"},
    {"kilo", ".kilocode/skills", ""},
    {"amp", ".agents/commands", ".md"},
    {"amp", ".config/amp/commands", ".md"},
    {"augment", ".augment/commands", ".md"},
    {"auggie", ".augment/commands", ".md"},
    {"goose", ".goose/skills", ""},
    {"crush", ".crush/commands", ".md"},
    {"crush", ".crush/skills", ""},
    {"crush", ".config/crush/commands", ".md"},
    {"kiro", ".kiro/prompts", ".md"},
    {"kiro", ".kiro/skills", ""},
    {"droid", ".factory/commands", ".md"},
    {"factory", ".factory/commands", ".md"},
    {"iflow", ".iflow/commands", ".toml"},
    {"iflow", ".iflow/commands", ".md"},
    {"codebuddy", ".codebuddy/commands", ".md"},
    {"codebuddy", ".codebuddy/skills", ""},
    {"continue", ".continue/prompts", ".md"},
    {"trae", ".trae/skills", ""},
    {"junie", ".junie/commands", ".md"},
    {"junie", ".junie/skills", ""},
    {"", ".agents/skills", ""},
});

std::string_view line_of(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view without_quotes(std::string_view text) {
  const bool quoted = text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
                      text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

bool is_block_mark(std::string_view value) {
  return value == ">" || value == "|" || value == ">-" || value == "|-";
}

// Reads the indented lines at the start of `rest` as one line.
std::string block_of(std::string_view rest) {
  std::string out;
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) {
    if (!out.empty()) out += ' ';
    out += core::trimmed(line_of(rest));
  }
  return out;
}

std::string shown(std::string_view text) {
  std::string out(core::utf8_truncate(text, kMaxDescriptionBytes));
  if (out.size() < text.size()) out += "…";
  return core::visible_line(out);
}

std::string head_of(const Place& place) {
  const auto file = open_to_read(place);
  if (!file) return {};
  std::string head(kMaxHeadBytes, '\0');
  const auto size = read_some(file->get(), head.data(), head.size(), place.path);
  head.resize(size.value_or(0));
  return head;
}

// The name of a command in the file `relative`: folders are name spaces.
std::string command_name(std::string_view relative, std::string_view suffix) {
  std::string name(relative.substr(0, relative.size() - suffix.size()));
  std::replace(name.begin(), name.end(), '/', ':');
  return name;
}

// Collects the commands and skills of one agent.
class CommandSearch {
 public:
  void look(const CommandDependencies& dependencies, const CommandFolder& folder) {
    const auto top = dependencies.folder->locate(folder.path);
    if (!top || !top->is_folder()) return;
    std::size_t searched = 0;
    const auto visit = [&](const WalkedEntry& entry) {
      if (entry.type == S_IFREG && core::is_utf8(entry.relative)) take(dependencies, folder, entry);
      return ++searched < kMaxSearched && found_.size() < kMaxCommands;
    };
    // What .gitignore files exclude is included: agents read such commands too.
    (void)walk_tree(*dependencies.folder, *top, {.with_ignored = true}, StopFlag(), visit);
  }

  std::vector<AgentCommand> take_found() {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& a, const auto& b) { return a.name < b.name; });
    return std::move(found_);
  }

 private:
  void take(const CommandDependencies& dependencies, const CommandFolder& folder,
            const WalkedEntry& entry) {
    const bool skill = folder.suffix.empty();
    if (!skill && !entry.relative.ends_with(folder.suffix)) return;
    if (skill && entry.name != kSkillFile) return;
    AgentCommand command;
    command.skill = skill;
    command.name = skill ? skill_name(entry.relative) : command_name(entry.relative, folder.suffix);
    if (command.name.empty()) return;
    if (!known_.emplace(skill, command.name).second) return;
    command.path = dependencies.prefix + entry.path;
    const auto place = dependencies.folder->locate(entry.path);
    if (!place) return;
    command.description = description_in(head_of(*place));
    found_.push_back(std::move(command));
  }

  // The folder of a SKILL.md names the skill; a SKILL.md at the top has no name.
  static std::string skill_name(std::string_view relative) {
    if (relative.size() <= kSkillFile.size()) return {};
    relative.remove_suffix(kSkillFile.size() + 1);
    return std::string(relative.substr(relative.rfind('/') + 1));
  }

  std::set<std::pair<bool, std::string>> known_;
  std::vector<AgentCommand> found_;
};

}  // namespace

std::string description_in(std::string_view head) {
  constexpr std::string_view kKey = "description";
  const bool yaml = head.starts_with("---");
  if (yaml) line_of(head);
  while (!head.empty()) {
    const std::string_view line = line_of(head);
    if (yaml && line == "---") break;
    if (!line.starts_with(kKey)) continue;
    std::string_view value = core::trimmed(line.substr(kKey.size()));
    if (!value.starts_with(yaml ? ':' : '=')) continue;
    value = core::trimmed(value.substr(1));
    if (yaml && is_block_mark(value)) return shown(block_of(head));
    return shown(without_quotes(value));
  }
  return {};
}

std::vector<AgentCommand> agent_commands(std::string_view client,
                                         const std::vector<CommandDependencies>& grounds) {
  const std::string name = core::lowered(client);
  CommandSearch search;
  for (const CommandDependencies& dependencies : grounds) {
    for (const CommandFolder& folder : kFolders) {
      if (name.find(folder.agent) != std::string::npos) search.look(dependencies, folder);
    }
  }
  return search.take_found();
}

}  // namespace parley::tool
