// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/agent/agent.h"
#include "runtime/agent/got_state.h"
#include "runtime/graph/graph.h"

namespace parley::agent {

// plan_graph -> execute_graph -> (several sinks? merge : end). The plan is checked. An invalid plan
// is requested once more, with its fault told to the model; if the second is invalid too, the run
// fails, and if it is no plan at all, it becomes a single task. `adaptive` (agot): finished tasks
// may be expanded.
core::Result<std::shared_ptr<const graph::Graph>> make_got_graph(
    std::shared_ptr<const AgentParts> parts, bool adaptive);

}  // namespace parley::agent
