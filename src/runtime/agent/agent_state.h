// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "runtime/agent/agent.h"
#include "runtime/graph/state.h"

namespace parley::agent {

// Common interface of the states of all kinds of agents.
class AgentState : public graph::State {
 public:
  // The conversation with the person; the next run of the thread continues it.
  virtual const std::vector<model::Message>& conversation() const = 0;
  virtual Outcome outcome() const = 0;
  // Resets the usage so far.
  virtual void clear_usage() = 0;

 protected:
  AgentState() = default;
  AgentState(const AgentState&) = default;
  AgentState& operator=(const AgentState&) = default;
};

// The assistant's last text since the last message of the person, with its reasoning.
Outcome spoken_outcome(const std::vector<model::Message>& messages,
                       const std::optional<runtime::Usage>& usage);

}  // namespace parley::agent
