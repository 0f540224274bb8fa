// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/agent/agent.h"
#include "runtime/agent/got_state.h"
#include "runtime/graph/graph.h"

namespace parley::agent {

// plan_graph -> execute_graph -> (several sinks? merge : end). An invalid plan is requested once
// more, with its fault told to the model. If the second plan is invalid too, the run fails; if the
// second text is not a plan at all, the request becomes a single task. `adaptive` (agot): finished
// tasks may be expanded.
core::Result<std::shared_ptr<const graph::Graph>> make_got_graph(
    std::shared_ptr<const AgentParts> parts, bool adaptive);

}  // namespace parley::agent
