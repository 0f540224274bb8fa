// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/agent/agent.h"

namespace parley::agent {

// The graph of Kind::compact: one node that replaces the conversation by a summary from the model
// and drops the message with which the run began. A conversation without earlier messages stays
// empty. Errors: those of model::fit().
core::Result<std::shared_ptr<const graph::Graph>> make_compact_graph(
    std::shared_ptr<const AgentParts> parts);

}  // namespace parley::agent
