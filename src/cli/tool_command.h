// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/settings.h"

namespace parley::app {

struct ToolOptions {
  std::string name;            // of `show`
  std::string working_folder;  // empty: this one
  std::string output;          // "json", "yaml"; empty: for people
};

// The tools that runs in a folder may call, as the server of this data directory has them; one is
// started for the while if there is none. Exit codes: 0, 1 there is no such tool, 2 no such folder.
int list_tools(const Settings& settings, const ToolOptions& options);
int show_tool(const Settings& settings, const ToolOptions& options);

}  // namespace parley::app
