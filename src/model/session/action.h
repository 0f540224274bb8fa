// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace parley::session {

struct Prompt;

enum class ActionKind : std::uint8_t {
  command,  // a shell command
  file,     // a file that a tool reads or changes
  call,     // a call of another tool
};

std::string_view action_kind_name(ActionKind kind);  // "command", "file", "call"
std::optional<ActionKind> action_kind_from_name(std::string_view name);

// The action that a permission prompt asks for, so that prompts for the like are found: those with
// the same kind and subject and, except for commands, the same tool.
struct Action {
  std::string agent = {};  // its word in `parley setup`; of a run "run:" and the agent's name
  std::string tool = {};   // as the agent names it
  ActionKind kind = ActionKind::command;
  std::string subject = {};  // the command, the path, or the arguments, as the agent sent them
  bool operator==(const Action&) const = default;
};

// {"agent":...,"tool":...,"kind":...,"subject":...}
std::string action_json(const Action& action);
// Errors: `invalid_argument`, with the member as field: it is missing, of another type, empty or
// too long.
core::Result<Action> read_action(std::string_view json);

// True if the text of a prompt shows the command or the path of `action`, whole. An asker must not
// name another one than the person sees.
bool shows_action(const Prompt& prompt, const Action& action);

}  // namespace parley::session
