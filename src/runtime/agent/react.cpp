// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/react.h"

#include <utility>

namespace parley::agent {
namespace {

using graph::kEnd;
using graph::kStart;

constexpr std::size_t kUnlimitedThinks = 1'000'000;

void think(graph::NodeContext& context, ReactState& state,
           const std::shared_ptr<const AgentParts>& parts, const StepSettings& settings,
           graph::NodeDone done) {
  ModelAsk ask;
  ask.messages = state.messages;
  ask.addon = settings.addon;
  ask.announces = true;
  ask.is_speech = settings.is_speech;
  ask.claim_id = settings.claim_id;
  ask.shortened = [&state](const std::vector<model::Message>& messages) {
    state.replace_messages(messages);
  };
  ask_model(context, parts, std::move(ask),
            [&state, progressed = settings.progressed,
             done = std::move(done)](core::Result<model::ModelReply> reply) mutable {
              if (!reply) {
                done(core::fail(std::move(reply).error()));
                return;
              }
              account(state, *reply);
              take_reply(state, std::move(reply->message));
              if (progressed) progressed(state);
              done(graph::Next::edges());
            });
}

}  // namespace

void take_reply(ReactState& state, model::Message message) {
  state.last_reasoning = message.reasoning;
  state.tool_calls = message.tool_calls;
  state.tool_results.clear();
  state.messages.push_back(std::move(message));
  state.message_count_after_last_think = state.messages.size();
  ++state.think_count;
}

CoreNode think_node(std::shared_ptr<const AgentParts> parts, StepSettings settings) {
  return [parts = std::move(parts), settings = std::move(settings)](
             graph::NodeContext& context, ReactState& state, graph::NodeDone done) {
    if (settings.entered) settings.entered(context);
    if (settings.max_thinks != 0 && state.think_count >= settings.max_thinks) {
      done(core::fail(core::Code::resource_exhausted,
                      "The limit of " + std::to_string(settings.max_thinks) +
                          " steps was reached before the work was finished."));
      return;
    }
    fit_conversation(context, parts, state,
                     [&context, &state, parts, settings,
                      done = std::move(done)](core::Result<void> fits) mutable {
                       if (!fits) {
                         done(core::fail(std::move(fits).error()));
                         return;
                       }
                       think(context, state, parts, settings, std::move(done));
                     });
  };
}

CoreNode act_node(std::shared_ptr<const AgentParts> parts, StepSettings settings) {
  return [parts = std::move(parts), settings = std::move(settings)](
             graph::NodeContext& context, ReactState& state, graph::NodeDone done) {
    if (settings.entered) settings.entered(context);
    run_tools(context, state, parts, settings.progressed, std::move(done));
  };
}

CoreNode observe_node(StepSettings settings) {
  return [settings = std::move(settings)](graph::NodeContext& context, ReactState& state,
                                          graph::NodeDone done) {
    if (settings.entered) settings.entered(context);
    state.tool_calls.clear();
    state.tool_results.clear();
    ++state.turn_count;
    if (settings.progressed) settings.progressed(state);
    done(graph::Next::edges());
  };
}

core::Result<std::shared_ptr<const graph::Graph>> make_react_graph(
    std::shared_ptr<const AgentParts> parts, StepSettings settings) {
  graph::StateGraph<ReactState> graph;
  graph.node("think", think_node(parts, settings))
      .node("act", act_node(parts, settings))
      .node("observe", observe_node(settings))
      .edge(std::string(kStart), settings.first)
      .conditional(
          "think",
          [](const ReactState& state) { return state.tool_calls.empty() ? "answer" : "call"; },
          {{"answer", std::string(kEnd)}, {"call", "act"}})
      .edge("act", "observe")
      .edge("observe", "think");
  // The limit is checked in think; this one only bounds the number of entries that it allows.
  const std::size_t thinks = settings.max_thinks == 0 ? kUnlimitedThinks : settings.max_thinks;
  return graph.compile({.max_steps = thinks * 3 + 3});
}

}  // namespace parley::agent
