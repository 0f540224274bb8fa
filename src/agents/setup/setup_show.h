// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "agents/setup/agent_report.h"

namespace parley::setup {

// The state of an agent's files. Reads only. `project`: the files of a project in place of the
// user's; `around`: the project of the working directory, whose files can stand in the way; both
// may be empty.
AgentState state_of(const AgentFacts& agent, const SetupOptions& options, const SetupPlaces& places,
                    const std::filesystem::path& project, const std::filesystem::path& around);

}  // namespace parley::setup
