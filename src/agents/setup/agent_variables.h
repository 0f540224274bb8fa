// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agents/setup/agent_table.h"

namespace parley::setup {

// Variables of the environment (SetupPlaces::variables) that let an agent which is started from
// this shell read its settings elsewhere than setup writes them: one sentence each, with what to
// do. Setup keeps to the home directory of the user database, because a repository may set
// variables for an agent.
std::vector<std::string> misplaced_by_variables(const AgentFacts& agent, const SetupPlaces& places);

// The variables that misplaced_by_variables() reads, of this process.
std::map<std::string, std::string> variables_of_this_process();

}  // namespace parley::setup
