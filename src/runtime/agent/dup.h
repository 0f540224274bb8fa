// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "runtime/agent/agent.h"
#include "runtime/agent/dup_state.h"
#include "runtime/graph/graph.h"

namespace parley::agent {

// understand -> plan -> (calls? act : end); act -> observe -> plan.
core::Result<std::shared_ptr<const graph::Graph>> make_dup_graph(
    std::shared_ptr<const AgentParts> parts);

// Parses the model's understanding: JSON, else lines "core_goal: ...", else the text is the
// context.
Understanding read_understanding(std::string_view text);
// The understanding as a message of the conversation.
std::string understanding_message(const Understanding& understood);

}  // namespace parley::agent
