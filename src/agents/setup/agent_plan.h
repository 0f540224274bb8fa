// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "agents/setup/file_plan.h"

namespace parley::setup {

// Everything that a setup of one agent would do.
struct AgentPlan {
  const AgentFacts* agent = nullptr;
  std::vector<FilePlan> files;
  boost::json::object entry;  // of the MCP server, in a JSON file
  std::vector<std::string> warnings;
  std::vector<std::string> refusals;  // parts that are left out, with the reason
  std::vector<std::string> next;      // steps for the person
};

// `project`: absolute, without symbolic links; empty: the files of the user.
AgentPlan plan_agent(const AgentFacts& agent, const SetupOptions& options,
                     const SetupPlaces& places, const std::filesystem::path& project);

// True if the agent asks Claude Code's own program to edit ~/.claude.json: rule 7 of docs/setup.md.
bool is_claude_state_file(const AgentFacts& agent, const SetupPlaces& places,
                          const std::filesystem::path& file);

}  // namespace parley::setup
