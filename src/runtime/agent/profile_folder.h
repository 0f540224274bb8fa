// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "runtime/agent/profile.h"
#include "runtime/agent/profile_draft.h"

namespace parley::agent {

// A profile and its file, before inheritance is resolved.
struct FoundProfile {
  ProfileDraft draft;
  std::string file;  // empty: builtin
};

struct FoundProfiles {
  std::vector<FoundProfile> all;  // builtin, then of the user, then of the project
  std::vector<ProfileProblem> problems;
};

// Reads the built-in profiles and those in `.loom/agents` of both folders. Blocks on the disk.
// A file of the program's own data (`own_data`) counts as outside the working folder.
FoundProfiles find_profiles(const std::string& working_folder, const std::string& home,
                            const std::string& own_data = {});

// A profile with everything that it inherits. Errors: `invalid_argument` (a cycle, or an unknown
// profile).
core::Result<Profile> resolve_profile(const std::vector<FoundProfile>& all, std::size_t index);

}  // namespace parley::agent
