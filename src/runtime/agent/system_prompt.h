// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "runtime/agent/profile.h"

namespace parley::agent {

// The system prompt of an agent: the profile's role; AGENTS.md of the current folder and of the
// working folder, if present; the working folder; a note that some calls ask a person. Unreadable
// files are left out. Blocks on the disk.
std::string system_prompt(const Profile& profile, const std::string& working_folder);
// The same, for a given current folder. Files of the program's own data are left out, also if a
// symlink elsewhere leads to them.
std::string system_prompt(const Profile& profile, const std::string& working_folder,
                          const std::string& current_folder, const std::string& own_data = {});

// Limit of an AGENTS.md in the prompt, in bytes; a longer one is cut, with a note.
// Limit (Runs, bytes): AGENTS.md. Reached: cut with a note.
inline constexpr std::size_t kMaxAgentsFile = 32U << 10U;

}  // namespace parley::agent
