// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/agent/agent.h"
#include "runtime/agent/got_state.h"
#include "runtime/graph/graph.h"

namespace parley::agent {

// plan_graph -> execute_graph -> (several sinks? merge : end). The plan is checked; one that cannot
// be used is made again once, with what was wrong told, then the run fails; one that is no plan at
// all the second time becomes a single task. `adaptive` (agot): finished tasks may be expanded.
core::Result<std::shared_ptr<const graph::Graph>> make_got_graph(
    std::shared_ptr<const AgentParts> parts, bool adaptive);

}  // namespace parley::agent
