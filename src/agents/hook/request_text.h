// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agents/hook/hook_event.h"

namespace parley::hook {

// The text of a permission request or a plan, in Markdown, and whether it is all of it.
struct RequestText {
  std::string text;
  bool is_cut = false;  // a part was left out, so that a person must not allow it
};

// Limit (parley hook): text of a request; a plan of Claude Code. Reached: cut in the middle, and
// allowing is not offered.
inline constexpr std::size_t kMaxRequestBytes = 1U << 20U;

// Shows the request whole: the dangers of a command, then the command, change or plan in a fence
// that it cannot leave, every other argument as JSON, what the command touches, the directory, the
// mode and the agent's own words. Characters that show nothing, or change how others are shown, are
// written out.
RequestText request_text(const HookEvent& event);

// True for the tools with which agents run shell commands.
bool runs_command(const HookEvent& event);

// True for a tool of Parley's own MCP server, in Claude Code and Qwen Code; false if a project has
// put a server under its name.
bool is_own_tool(const HookEvent& event);

// False for a plan that is blank, or that is not known.
bool is_plan_shown(const HookEvent& event);

}  // namespace parley::hook
