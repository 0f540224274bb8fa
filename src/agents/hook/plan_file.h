// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "agents/hook/hook_event.h"
#include "base/core/result.h"

// Plans of Claude Code: its request to begin (`ExitPlanMode`) does not hold the plan, which is a
// Markdown file that the agent has written into its own folder before. The event of that call names
// the file.
namespace parley::hook {

// Remembers the file of the plan if `event` tells that the agent has written one; forgets it at the
// end of the session. `agent_folder`: the agent's own, ~/.claude; `notes`: the folder of
// keep_note().
void watch_plan(const std::filesystem::path& notes, const std::filesystem::path& agent_folder,
                const HookEvent& event);

// The plan that the session has written last, at most a byte more than kMaxRequestBytes. It is read
// only as a regular file of this user, directly in the folder `plans` of `agent_folder`, through no
// symbolic link. Errors: `not_found`: no plan was seen; `failed_precondition`: it is something
// else; those of core::system_error().
core::Result<std::string> read_plan(const std::filesystem::path& notes,
                                    const std::filesystem::path& agent_folder,
                                    const HookEvent& event);

}  // namespace parley::hook
