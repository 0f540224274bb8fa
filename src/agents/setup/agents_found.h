// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/setup/agent_table.h"
#include "agents/setup/asks_when.h"

namespace parley::setup {

// A coding agent of this computer and the state of its settings, without any path or content.
struct AgentFound {
  std::string_view word;   // for `parley setup`
  std::string_view title;  // for a person
  // "ready"; "partly": some parts are missing or of an older version; "absent": not set up;
  // "blocked": a part cannot be read, belongs to another program or is refused by the agent.
  std::string_view state;
  AsksWhen asks = AsksWhen::never;  // by its hooks
};

// The agents that are detected. Reads their files: blocks. Writes nothing, starts nothing.
std::vector<AgentFound> agents_found(const SetupPlaces& places);

// The answer of GET /v1/setup: the command that sets agents up, and the agents found.
std::string setup_json(const SetupPlaces& places);

}  // namespace parley::setup
