// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/agent/agent.h"
#include "runtime/agent/model_turn.h"
#include "runtime/agent/react_state.h"
#include "runtime/agent/tool_step.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/state_graph.h"

namespace parley::agent {

// Settings of the steps of react.
struct StepSettings {
  std::size_t max_thinks = 0;  // replies of the model; 0: no limit
  std::string addon;           // appended to the system message
  // True if the model's text is shown to the person, as in ModelAsk.
  bool is_speech = true;
  std::string first = "think";  // first node
  Progressed progressed;
  std::function<bool(const std::string& id)> claim_id;
  std::function<void(graph::NodeContext& context)> entered;
};

using CoreNode = graph::StateGraph<ReactState>::TypedNode;

// Asks the model, with the tools, and appends its reply. Errors: those of ask_model() and
// fit_conversation(); `resource_exhausted` at the limit of replies.
CoreNode think_node(std::shared_ptr<const AgentParts> parts, StepSettings settings);
// Makes the calls (run_tools).
CoreNode act_node(std::shared_ptr<const AgentParts> parts, StepSettings settings);
// Ends the turn: clears calls and results, which the conversation holds too.
CoreNode observe_node(StepSettings settings);

// think -> (calls? act : end); act -> observe -> think.
core::Result<std::shared_ptr<const graph::Graph>> make_react_graph(
    std::shared_ptr<const AgentParts> parts, StepSettings settings);

// Appends a reply to the conversation and updates the counts.
void take_reply(ReactState& state, model::Message message);

}  // namespace parley::agent
