// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/server/settings.h"

namespace parley::app {

struct ToolOptions {
  std::string name;            // for `show`
  std::string working_folder;  // empty: the current one
  std::string output;          // "json", "yaml"; empty: text for people
};

// Lists or shows the tools for runs in a folder, as the server of this data directory reports them.
// If no server is running, one is started for the duration of the command. Exit codes: 0; 1 no such
// tool; 2 no such folder.
int list_tools(const Settings& settings, const ToolOptions& options);
int show_tool(const Settings& settings, const ToolOptions& options);

}  // namespace parley::app
