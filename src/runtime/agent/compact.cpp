// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/compact.h"

#include <utility>

#include "runtime/agent/model_turn.h"
#include "runtime/agent/react_state.h"
#include "runtime/graph/state_graph.h"

namespace parley::agent {

core::Result<std::shared_ptr<const graph::Graph>> make_compact_graph(
    std::shared_ptr<const AgentParts> parts) {
  graph::StateGraph<ReactState> graph;
  graph
      .node("summarise",
            [parts = std::move(parts)](graph::NodeContext& context, ReactState& state,
                                       graph::NodeDone done) {
              state.truncate_messages(state.messages.size() - 1);
              fit_conversation(
                  context, parts, state,
                  [done = std::move(done)](core::Result<void> fitted) mutable {
                    if (!fitted) return done(core::fail(std::move(fitted).error()));
                    done(graph::Next::edges());
                  },
                  true);
            })
      .edge(std::string(graph::kStart), "summarise")
      .edge("summarise", std::string(graph::kEnd));
  return graph.compile({.max_steps = 1});
}

}  // namespace parley::agent
