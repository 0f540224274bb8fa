// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/server/settings.h"

namespace parley::app {

struct AgentOptions {
  std::string name;                // for `graph`
  std::string working_folder;      // empty: the current one
  std::string format = "mermaid";  // for `graph`: "mermaid" or "dot"
  bool json = false;               // for `list`
};

// Lists or shows the agents for runs in a folder, as the server of this data directory reports
// them. If no server is running, one is started for the duration of the command. Exit codes: 0; 1
// no such agent; 2 no such folder.
int list_agents(const Settings& settings, const AgentOptions& options);
int show_agent_graph(const Settings& settings, const AgentOptions& options);

}  // namespace parley::app
