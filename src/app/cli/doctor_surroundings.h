// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/cli/agent_set_up.h"
#include "app/cli/finding.h"
#include "app/cli/server_state.h"
#include "app/cli/test_prompt.h"
#include "app/server/settings.h"

// The checks of `parley doctor` beyond the data directory: the running server, the ways by which it
// reaches a person, and the agents of this computer.
namespace parley::app {

// The finding about the running server: does it answer, and as which version?
Finding check_server(const ServerState& state, const std::string& data);

// The notifiers and devices that tell a person of a question, and the address for a phone. For a
// server that does not answer: nothing.
std::vector<Finding> check_reach(const ServerState& state, const Settings& settings);

// One finding for each agent, and one for each obstacle. `agents`: an error if they cannot be
// looked for.
std::vector<Finding> check_agents(const core::Result<std::vector<AgentSetUp>>& agents);

// The test prompt of `parley doctor --ask`: asks a question and waits for its answer.
Finding check_prompt(const std::string& data);
Finding finding_of_prompt(const TestPromptEnd& end);

}  // namespace parley::app
