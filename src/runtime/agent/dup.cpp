// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/dup.h"

#include <array>
#include <utility>

#include "base/core/ascii.h"
#include "runtime/agent/json_reading.h"
#include "runtime/agent/prompts.h"
#include "runtime/agent/react.h"

namespace parley::agent {
namespace {

using graph::kEnd;
using graph::kStart;
using graph::NodeContext;
using graph::NodeDone;

// The text after a label such as "Core goal:" or "**core_goal**:" at the beginning of a line.
std::optional<std::string_view> after_label(std::string_view line, std::string_view label) {
  std::size_t at = line.find_first_not_of("-*# \t\"");
  if (at == std::string_view::npos) return std::nullopt;
  for (const char expected : label) {
    if (at >= line.size()) return std::nullopt;
    const char c = line[at] == ' ' || line[at] == '-' ? '_' : line[at];
    if (core::lowered(std::string_view(&c, 1))[0] != expected) return std::nullopt;
    ++at;
  }
  const std::size_t colon = line.find_first_not_of("*_\" \t", at);
  if (colon == std::string_view::npos || line[colon] != ':') return std::nullopt;
  line.remove_prefix(colon + 1);
  while (!line.empty() && line.find_first_of("*\" \t") == 0) line.remove_prefix(1);
  while (!line.empty() && (line.back() == ',' || line.back() == '"')) line.remove_suffix(1);
  return line;
}

Understanding read_lines(std::string_view text) {
  Understanding found;
  std::string* last = nullptr;
  bool in_constraints = false;
  for (const std::string_view line : lines_of(text)) {
    if (line.empty()) continue;
    if (const auto goal = after_label(line, "core_goal")) {
      found.core_goal = *goal;
      last = &found.core_goal;
      in_constraints = false;
    } else if (const auto constraint = after_label(line, "key_constraints")) {
      if (!constraint->empty()) found.key_constraints.emplace_back(*constraint);
      last = nullptr;
      in_constraints = true;
    } else if (const auto about = after_label(line, "relevant_context")) {
      found.relevant_context = *about;
      last = &found.relevant_context;
      in_constraints = false;
    } else if (in_constraints) {
      const std::size_t from = line.find_first_not_of("-*0123456789. ");
      if (from != std::string_view::npos) found.key_constraints.emplace_back(line.substr(from));
    } else if (last != nullptr) {
      if (!last->empty()) *last += ' ';
      *last += line;
    }
  }
  return found;
}

void understand(const std::shared_ptr<const AgentParts>& parts, NodeContext& context,
                DupState& state, NodeDone done) {
  ModelAsk ask;
  ask.messages = state.core.messages;
  ask.addon = understand_prompt();
  ask.with_tools = false;
  ask.json_only = true;
  ask.is_speech = false;
  ask_model(
      context, parts, std::move(ask),
      [&context, &state, done = std::move(done)](core::Result<model::ModelReply> reply) mutable {
        if (!reply) {
          done(core::fail(std::move(reply).error()));
          return;
        }
        account(state.core, *reply);
        state.understood = read_understanding(reply->message.content);
        if (*state.understood != Understanding{}) {
          std::string message = understanding_message(*state.understood);
          context.emit(runtime::ThoughtChunk{message + "\n\n", context.name()});
          state.core.messages.push_back(model::Message::assistant(std::move(message)));
        }
        done(graph::Next::edges());
      });
}

}  // namespace

Understanding read_understanding(std::string_view text) {
  Understanding found;
  if (const auto object = find_json_object(text)) {
    found.core_goal = text_of(*object, "core_goal");
    found.key_constraints = texts_of(*object, "key_constraints");
    found.relevant_context = text_of(*object, "relevant_context");
  }
  if (found == Understanding{}) found = read_lines(text);
  if (found == Understanding{}) found.relevant_context = core::trimmed(text);
  return found;
}

std::string understanding_message(const Understanding& understood) {
  std::string text = "**Understanding**";
  if (!understood.core_goal.empty()) text += "\n\nGoal: " + understood.core_goal;
  if (!understood.key_constraints.empty()) text += "\n\nConstraints:";
  for (const std::string& constraint : understood.key_constraints) text += "\n- " + constraint;
  if (!understood.relevant_context.empty()) text += "\n\nContext: " + understood.relevant_context;
  return text;
}

core::Result<std::shared_ptr<const graph::Graph>> make_dup_graph(
    std::shared_ptr<const AgentParts> parts) {
  const StepSettings settings;
  const auto of_core = [](CoreNode node) {
    return [node = std::move(node)](NodeContext& context, DupState& state, NodeDone done) {
      node(context, state.core, std::move(done));
    };
  };
  graph::StateGraph<DupState> graph;
  graph
      .node("understand",
            [parts](NodeContext& context, DupState& state, NodeDone done) {
              fit_conversation(context, parts, state.core,
                               [&context, &state, parts,
                                done = std::move(done)](core::Result<void> fits) mutable {
                                 if (!fits) {
                                   done(core::fail(std::move(fits).error()));
                                   return;
                                 }
                                 understand(parts, context, state, std::move(done));
                               });
            })
      .node("plan", of_core(think_node(parts, settings)))
      .node("act", of_core(act_node(parts, settings)))
      .node("observe", of_core(observe_node(settings)))
      .edge(std::string(kStart), "understand")
      .edge("understand", "plan")
      .conditional(
          "plan",
          [](const DupState& state) { return state.core.tool_calls.empty() ? "answer" : "call"; },
          {{"answer", std::string(kEnd)}, {"call", "act"}})
      .edge("act", "observe")
      .edge("observe", "plan");
  return graph.compile({.max_steps = parts->limits.max_steps});
}

}  // namespace parley::agent
