// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/agent.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "runtime/agent/dup.h"
#include "runtime/agent/got.h"
#include "runtime/agent/model_turn.h"
#include "runtime/agent/react.h"
#include "runtime/agent/react_state.h"
#include "runtime/agent/tot.h"
#include "runtime/graph/state_graph.h"

namespace parley::agent {

namespace {

using model::Message;
using model::Role;

constexpr const char* kNeverMade =
    "The run ended before this call was finished: it may not have been made.";

}  // namespace

void close_open_calls(std::vector<Message>& messages) {
  std::vector<Message> closed;
  closed.reserve(messages.size());
  for (std::size_t i = 0; i < messages.size();) {
    if (messages[i].role == Role::tool) {
      ++i;
      continue;
    }
    const std::vector<model::ToolCall> calls = messages[i].tool_calls;
    closed.push_back(std::move(messages[i]));
    std::size_t end = ++i;
    while (end < messages.size() && messages[end].role == Role::tool) ++end;
    for (const model::ToolCall& call : calls) {
      const auto answer =
          std::find_if(messages.begin() + static_cast<std::ptrdiff_t>(i),
                       messages.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](const Message& message) { return message.tool_call_id == call.id; });
      const bool found = answer != messages.begin() + static_cast<std::ptrdiff_t>(end);
      closed.push_back(found ? *answer : Message::tool(call.id, kNeverMade, true));
    }
    i = end;
  }
  messages = std::move(closed);
}

bool is_paired(const std::vector<Message>& messages, bool open_end) {
  for (std::size_t i = 0; i < messages.size();) {
    if (messages[i].role == Role::tool) return false;
    const std::vector<model::ToolCall>& calls = messages[i++].tool_calls;
    for (const model::ToolCall& call : calls) {
      if (i == messages.size()) return open_end;
      if (messages[i].role != Role::tool || messages[i].tool_call_id != call.id) return false;
      ++i;
    }
  }
  return true;
}

std::vector<Message> begin_conversation(const std::string& system_prompt,
                                        const std::vector<Message>& earlier, Message message) {
  std::vector<Message> messages = earlier;
  if (!messages.empty() && messages.front().role == Role::system) messages.erase(messages.begin());
  close_open_calls(messages);
  messages.insert(messages.begin(), Message::system(system_prompt));
  messages.push_back(std::move(message));
  return messages;
}

namespace {

// The graph of Kind::compact: one node that replaces the conversation by a summary from the model
// and drops the message with which the run began. A conversation without earlier messages stays
// empty. Errors: those of model::fit().
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

constexpr std::array<std::string_view, 6> kNames = {"react", "dup",  "tot",
                                                    "got",   "agot", "compact"};

const AgentState& agent_state(const graph::State& state) {
  return static_cast<const AgentState&>(state);
}

}  // namespace

std::string_view kind_description(Kind kind) {
  constexpr std::array<std::string_view, kKinds.size()> kDescriptions = {
      "Thinks, calls tools, reads their results, and thinks again.",
      "States its understanding of the task first, then works like react.",
      "Evaluates several thoughts at each step, follows the best one, and backtracks.",
      "Plans a graph of tasks, and runs independent tasks at the same time.",
      "Like got, and splits tasks that turn out to be large."};
  return kDescriptions.at(static_cast<std::size_t>(kind));
}

std::string_view kind_name(Kind kind) { return kNames.at(static_cast<std::size_t>(kind)); }

std::optional<Kind> kind_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames.at(i) == name) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

core::Result<std::shared_ptr<const graph::Graph>> make_graph(
    Kind kind, std::shared_ptr<const AgentParts> parts) {
  if (!parts || !parts->model) {
    return core::fail(core::Code::invalid_argument, "The agent has no model.", "model");
  }
  if (parts->entropy == nullptr) {
    return core::fail(core::Code::invalid_argument, "The agent has no source of entropy.",
                      "entropy");
  }
  switch (kind) {
    case Kind::react: {
      StepSettings settings;
      settings.max_thinks = parts->limits.max_steps;
      return make_react_graph(std::move(parts), std::move(settings));
    }
    case Kind::dup:
      return make_dup_graph(std::move(parts));
    case Kind::tot:
      return make_tot_graph(std::move(parts));
    case Kind::got:
      return make_got_graph(std::move(parts), false);
    case Kind::agot:
      return make_got_graph(std::move(parts), true);
    case Kind::compact:
      return make_compact_graph(std::move(parts));
  }
  return core::fail(core::Code::invalid_argument, "The agent kind is unknown.", "kind");
}

std::unique_ptr<graph::State> empty_state(Kind kind) {
  switch (kind) {
    case Kind::dup:
      return std::make_unique<DupState>();
    case Kind::tot:
      return std::make_unique<TotState>();
    case Kind::got:
    case Kind::agot:
      return std::make_unique<GotState>();
    case Kind::react:
    case Kind::compact:
      break;
  }
  return std::make_unique<ReactState>();
}

const std::vector<model::Message>& messages_of(const graph::State& state) {
  return agent_state(state).conversation();
}

std::vector<model::Message> conversation_of(const graph::State* state, std::string_view cut_off) {
  std::vector<model::Message> messages;
  if (state != nullptr) messages = messages_of(*state);
  if (cut_off.empty()) return messages;
  close_open_calls(messages);
  messages.push_back(model::Message::assistant(std::string(cut_off) + std::string(kCutOffNote)));
  return messages;
}

std::unique_ptr<graph::State> first_state(Kind kind, const AgentParts& parts,
                                          model::Message message, const graph::State* earlier,
                                          std::string_view cut_off) {
  const std::string request = message.content;
  std::vector<model::Message> messages = begin_conversation(
      parts.system_prompt, conversation_of(earlier, cut_off), std::move(message));
  std::unique_ptr<graph::State> state = empty_state(kind);
  switch (kind) {
    case Kind::react:
    case Kind::compact:
      static_cast<ReactState&>(*state).messages = std::move(messages);
      break;
    case Kind::dup:
      static_cast<DupState&>(*state).core.messages = std::move(messages);
      break;
    case Kind::tot:
      static_cast<TotState&>(*state).core.messages = std::move(messages);
      break;
    case Kind::got:
    case Kind::agot:
      static_cast<GotState&>(*state).begin(request, std::move(messages));
      break;
  }
  return state;
}

Outcome outcome_of(Kind /*kind*/, const graph::State& state) {
  return agent_state(state).outcome();
}

void clear_usage(graph::State& state) { static_cast<AgentState&>(state).clear_usage(); }

}  // namespace parley::agent
