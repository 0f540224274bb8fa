// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/settings.h"

namespace parley::app {

struct AgentOptions {
  std::string name;                // of `graph`
  std::string working_folder;      // empty: this one
  std::string format = "mermaid";  // of `graph`; or "dot"
  bool json = false;               // of `list`
};

// The agents that a run in a folder may name, as the server of this data directory has them; one is
// started for the while if there is none. Exit codes: 0, 1 there is no such agent, 2 no such
// folder.
int list_agents(const Settings& settings, const AgentOptions& options);
int show_agent_graph(const Settings& settings, const AgentOptions& options);

}  // namespace parley::app
