// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/agent/agent.h"
#include "runtime/agent/tot_state.h"
#include "runtime/graph/graph.h"

namespace parley::agent {

// think_expand -> think_evaluate -> (calls? act : end); act -> observe -> (failed? backtrack :
// think_expand, one level deeper); backtrack -> (calls? act : end). A best-first search with
// AgentLimits::tot_beam candidates per level; at the last level of AgentLimits::tot_depth only
// answers count. A step fails if all its calls failed, or if all its candidates score below
// kLowScore; the search then returns to the deepest level with a candidate worth following, or
// continues if there is none.
core::Result<std::shared_ptr<const graph::Graph>> make_tot_graph(
    std::shared_ptr<const AgentParts> parts);

// Candidates below this score are not followed while others are left.
inline constexpr double kLowScore = 0.2;

}  // namespace parley::agent
