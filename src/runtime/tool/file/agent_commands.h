// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tool/file/workspace.h"

namespace parley::tool {

// Limit of the commands and skills of one answer, of the bytes of a description, and of the bytes
// that are read of a file to find it.
// Limit (/v1): commands and skills of the asking agent in one answer. Reached: the others are not
// offered.
inline constexpr std::size_t kMaxCommands = 500;
// Limit (/v1): description of a command. Reached: cut.
inline constexpr std::size_t kMaxDescriptionBytes = 200;
// Limit (/v1): bytes read of a command's file. Reached: cut.
inline constexpr std::size_t kMaxHeadBytes = 8192;

// A prompt in a file that a coding agent knows by name.
struct AgentCommand {
  std::string name;  // "review", "git:commit"
  std::string path;  // relative to the project, or "~/.claude/commands/review.md"
  std::string description;
  bool skill = false;  // a folder with a SKILL.md, of which `path` is the path
  bool operator==(const AgentCommand&) const = default;
};

// A folder in which an agent looks for commands, and what people call that folder.
struct CommandDependencies {
  const Workspace* folder = nullptr;
  std::string prefix;  // of the paths: "" for a project, "~/" for a home
};

// The commands and skills that the agent in the program `client` ("claude-code", "Cursor") reads
// from these folders: by name, the first dependencies's before those of equal names. An unknown
// program has the skills below .agents/skills alone. Files that cannot be read are left out.
std::vector<AgentCommand> agent_commands(std::string_view client,
                                         const std::vector<CommandDependencies>& grounds);

// The description in the head of a file: `description:` between two lines "---", or
// `description = "..."`. Empty: there is none.
std::string description_in(std::string_view head);

}  // namespace parley::tool
