// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/core/result.h"
#include "runtime/agent/agent.h"

namespace parley::agent {

// The graph of a kind of agent as text: nodes, edges, and the conditions of the edges.
struct GraphText {
  std::string dot;      // for Graphviz
  std::string mermaid;  // for documents
};
core::Result<GraphText> graph_text(Kind kind);

}  // namespace parley::agent
