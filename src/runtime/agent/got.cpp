// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/got.h"

#include <algorithm>
#include <utility>

#include "runtime/agent/got_execute.h"
#include "runtime/agent/prompts.h"
#include "runtime/agent/react.h"

namespace parley::agent {
namespace {

using graph::kEnd;
using graph::kStart;
using graph::Next;
using graph::NodeContext;
using graph::NodeDone;
using Parts = std::shared_ptr<const AgentParts>;
using Texts = std::vector<std::pair<std::string, std::string>>;

constexpr int kPlanTries = 2;
constexpr std::uint64_t kUnknownContext = 128'000;

// --- plan ------------------------------------------------------------------------------------

void take_plan(NodeContext& context, GotState& state, TaskGraph plan) {
  state.tasks.clear();
  runtime::GotPlan event;
  event.node_count = plan.nodes.size();
  event.edge_count = plan.edges.size();
  for (const TaskNode& node : plan.nodes) {
    event.node_ids.push_back(node.id);
    state.tasks[node.id] = {};
  }
  state.graph = std::move(plan);
  context.emit(std::move(event));
}

void tell_fault(NodeContext& context, const std::string& fault) {
  std::string value;
  core::JsonWriter json(value);
  json.begin_object().key("got_plan_refused").begin_object();
  json.key("reason").string(fault);
  json.end_object().end_object();
  context.emit(runtime::Custom{std::move(value)});
}

void plan(NodeContext& context, const Parts& parts, GotState& state, int attempt,
          const std::string& fault, NodeDone done);

void on_plan(NodeContext& context, const Parts& parts, GotState& state, int attempt,
             core::Result<TaskGraph> read, NodeDone done) {
  if (read) {
    take_plan(context, state, *std::move(read));
    done(Next::edges());
    return;
  }
  const core::Error& error = read.error();
  tell_fault(context, error.message);
  if (attempt < kPlanTries) {
    plan(context, parts, state, attempt + 1, error.message, std::move(done));
  } else if (error.code == core::Code::data_loss) {
    take_plan(context, state, TaskGraph{{{"task_1", state.input_message, 0}}, {}});
    done(Next::edges());
  } else {
    done(core::fail(core::Code::failed_precondition,
                    "The plan of the model cannot be used: " + error.message, "plan"));
  }
}

void plan(NodeContext& context, const Parts& parts, GotState& state, int attempt,
          const std::string& fault, NodeDone done) {
  ModelAsk ask;
  ask.messages = state.core().messages;
  ask.addon = plan_prompt(fault);
  ask.with_tools = false;
  ask.json_only = true;
  ask.is_speech = false;
  ask_model(context, parts, std::move(ask),
            [&context, parts, &state, attempt,
             done = std::move(done)](core::Result<model::ModelReply> reply) mutable {
              if (!reply) {
                done(core::fail(std::move(reply).error()));
                return;
              }
              account(state.core(), *reply);
              on_plan(context, parts, state, attempt,
                      read_plan(reply->message.content, parts->limits.got_max_nodes),
                      std::move(done));
            });
}

void plan_node(NodeContext& context, const Parts& parts, GotState& state, NodeDone done) {
  fit_conversation(
      context, parts, state.core(),
      [&context, parts, &state, done = std::move(done)](core::Result<void> fits) mutable {
        if (!fits) {
          done(core::fail(std::move(fits).error()));
          return;
        }
        state.sync();
        plan(context, parts, state, 1, {}, std::move(done));
      });
}

// --- merge -----------------------------------------------------------------------------------

bool has_one_sink(const GotState& state) { return state.graph.sinks().size() == 1; }

Texts failures_of(const GotState& state) {
  Texts failures;
  for (const std::string& id : state.graph.sinks()) {
    const TaskState& task = state.tasks.at(id);
    if (task.status == TaskStatus::failed) failures.emplace_back(id, task.error);
  }
  return failures;
}

Texts results_of(const GotState& state) {
  Texts results;
  for (const std::string& id : state.done_sinks()) {
    results.emplace_back(id, state.tasks.at(id).result);
  }
  return results;
}

// The results one after the other, used if the model does not merge them.
std::string joined(const GotState& state) {
  std::string text;
  for (const auto& [id, result] : results_of(state)) {
    if (!text.empty()) text += "\n\n";
    text += result;
  }
  for (const auto& [id, error] : failures_of(state)) {
    text.append("\n\nThe task '").append(id).append("' could not be done: ").append(error);
  }
  return text;
}

void merge(NodeContext& context, const Parts& parts, GotState& state, NodeDone done) {
  Texts results = results_of(state);
  const std::uint64_t tokens = parts->model->context_tokens();
  // Half of the context, at about four bytes per token, is for the results.
  const std::uint64_t room = (tokens == 0 ? kUnknownContext : tokens) * 2 / (results.size() + 1);
  for (auto& [id, result] : results) result = head_and_tail(result, room);
  ModelAsk ask;
  ask.messages.push_back(model::Message::system(parts->system_prompt));
  ask.messages.push_back(
      model::Message::user(merge_message(state.input_message, results, failures_of(state))));
  ask.addon = merge_prompt();
  ask.with_tools = false;
  ask_model(
      context, parts, std::move(ask),
      [&context, &state, done = std::move(done)](core::Result<model::ModelReply> reply) mutable {
        if (!reply && reply.error().code == core::Code::cancelled) {
          done(core::fail(std::move(reply).error()));
          return;
        }
        if (reply) account(state.core(), *reply);
        if (reply && !reply->message.content.empty()) {
          reply->message.tool_calls.clear();
          state.say(std::move(reply->message));
        } else {
          std::string text = joined(state);
          context.emit(runtime::MessageChunk{text, context.name()});
          state.say(model::Message::assistant(std::move(text)));
        }
        done(Next::edges());
      });
}

void execute_node(NodeContext& context, const Parts& parts, GotState& state, bool adaptive,
                  NodeDone done) {
  execute_tasks(context, state, parts, adaptive,
                [&context, &state, done = std::move(done)](core::Result<Next> next) mutable {
                  if (next && has_one_sink(state)) {
                    const std::string& result = state.tasks.at(state.graph.sinks().front()).result;
                    context.emit(runtime::MessageChunk{result, context.name()});
                    state.say(model::Message::assistant(result));
                  }
                  done(std::move(next));
                });
}

}  // namespace

core::Result<std::shared_ptr<const graph::Graph>> make_got_graph(Parts parts, bool adaptive) {
  graph::StateGraph<GotState> graph;
  graph
      .node("plan_graph",
            [parts](NodeContext& context, GotState& state, NodeDone done) {
              plan_node(context, parts, state, std::move(done));
            })
      .node("execute_graph",
            [parts, adaptive](NodeContext& context, GotState& state, NodeDone done) {
              execute_node(context, parts, state, adaptive, std::move(done));
            })
      .node("merge", [parts](NodeContext& context, GotState& state,
                             NodeDone done) { merge(context, parts, state, std::move(done)); })
      .edge(std::string(kStart), "plan_graph")
      .edge("plan_graph", "execute_graph")
      .conditional("execute_graph",
                   [](const GotState& state) { return has_one_sink(state) ? "answer" : "merge"; },
                   {{"answer", std::string(kEnd)}, {"merge", "merge"}})
      .edge("merge", std::string(kEnd));
  return graph.compile({.max_steps = parts->limits.max_steps});
}

}  // namespace parley::agent
