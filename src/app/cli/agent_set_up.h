// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agents/setup/agent_table.h"
#include "base/core/result.h"

namespace parley::app {

// The settings of a coding agent of this computer, compared with those that setup writes.
struct AgentSetUp {
  enum class State : std::uint8_t {
    absent,   // Parley is in none of its files
    current,  // as setup writes them without flags
    other,    // set up with other flags, by another version, or in part
    blocked,  // a file cannot be read, or the agent refuses it
  };
  std::string_view word;
  std::string_view title;
  State state = State::absent;
  std::vector<std::string> files;  // that are not current: "PATH (hooks): differs"
  std::vector<std::string> hints;  // obstacles in the agent's own settings and the environment
};

// The agents that are found. Reads files only.
std::vector<AgentSetUp> agents_set_up(const setup::SetupPlaces& places);
// Those of this user. An error if the user database does not have the user.
core::Result<std::vector<AgentSetUp>> agents_here();

// "set up", "not set up", "set up otherwise", "blocked".
std::string_view state_name(AgentSetUp::State state);

}  // namespace parley::app
