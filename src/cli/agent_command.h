// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/settings.h"

namespace parley::app {

struct AgentOptions {
  std::string name;                // of `graph`
  std::string working_folder;      // empty: the current one
  std::string format = "mermaid";  // of `graph`; or "dot"
  bool json = false;               // for `list`
};

// The agents for runs in a folder, as listed by the server of this data directory; if none is
// running, one is started for the duration of the command. Exit codes: 0; 1 no such agent; 2 no
// such folder.
int list_agents(const Settings& settings, const AgentOptions& options);
int show_agent_graph(const Settings& settings, const AgentOptions& options);

}  // namespace parley::app
