// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "runtime/agent/agent.h"
#include "runtime/graph/state.h"

namespace parley::agent {

// What the states of all kinds of agents have in common.
class AgentState : public graph::State {
 public:
  // The conversation with the person: what the next run of the thread takes over.
  virtual const std::vector<model::Message>& conversation() const = 0;
  virtual Outcome outcome() const = 0;
  // Forgets what was used so far.
  virtual void clear_usage() = 0;

 protected:
  AgentState() = default;
  AgentState(const AgentState&) = default;
  AgentState& operator=(const AgentState&) = default;
};

// What was said since the person spoke last: the last text of the assistant, with its reasoning.
Outcome spoken_outcome(const std::vector<model::Message>& messages,
                       const std::optional<runtime::Usage>& usage);

}  // namespace parley::agent
