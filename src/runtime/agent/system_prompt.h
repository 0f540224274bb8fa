// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "runtime/agent/profile.h"

namespace parley::agent {

// What an agent is told before all else: the profile's role; AGENTS.md of the current folder and of
// the working folder, if they are there; where it works; that some calls ask a person. A file that
// cannot be read is left out. Blocks on the disk.
std::string system_prompt(const Profile& profile, const std::string& working_folder);
// The same with the current folder named. A file of the program's own data is left out, wherever a
// symlink to it is.
std::string system_prompt(const Profile& profile, const std::string& working_folder,
                          const std::string& current_folder, const std::string& own_data = {});

// More of an AGENTS.md than this many bytes is cut, with a note.
inline constexpr std::size_t kMaxAgentsFile = 32U << 10U;

}  // namespace parley::agent
