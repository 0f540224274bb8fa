// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/tot.h"

#include <algorithm>
#include <utility>

#include "base/core/id.h"
#include "runtime/agent/prompts.h"
#include "runtime/agent/react.h"
#include "runtime/agent/tot_reading.h"

namespace parley::agent {
namespace {

using graph::kEnd;
using graph::kStart;
using graph::Next;
using graph::NodeContext;
using graph::NodeDone;
using Parts = std::shared_ptr<const AgentParts>;

std::string last_request(const TotState& state) {
  const std::vector<model::Message>& all = state.core.messages;
  const auto last = std::find_if(all.rbegin(), all.rend(), [](const model::Message& message) {
    return message.role == model::Role::user;
  });
  return last == all.rend() ? std::string() : last->content;
}

bool is_last_level(const TotState& state, const AgentLimits& limits) {
  return state.depth + 1 >= limits.tot_depth;
}

std::vector<std::string> thoughts_of(const TotLevel& level) {
  std::vector<std::string> thoughts;
  for (const Candidate& candidate : level.candidates) thoughts.push_back(candidate.thought);
  return thoughts;
}

// Text of a candidate with its calls, for the model that scores it.
std::string described(const Candidate& candidate) {
  std::string text = candidate.thought;
  for (const model::ToolCall& call : candidate.tool_calls) {
    text += "\n  calls " + call.name + " " + call.arguments;
  }
  return text;
}

// The deepest level that has an untried candidate with a score of at least `least`.
std::optional<std::size_t> level_to_return_to(const TotState& state, double least) {
  for (std::size_t i = state.levels.size(); i-- > 0;) {
    if (state.levels[i].best_untried(least)) return i;
  }
  return std::nullopt;
}

void suggest_backtrack(TotState& state, std::string reason) {
  state.suggest_backtrack = true;
  state.path_failed_reason = std::move(reason);
}

// Chooses a candidate of the current level: emits its answer, or announces its calls.
void choose(NodeContext& context, TotState& state, std::size_t index) {
  TotLevel& level = state.levels.back();
  level.tried.push_back(index);
  const Candidate& candidate = level.candidates[index];
  model::Message message = model::Message::assistant(candidate.thought);
  message.tool_calls = candidate.tool_calls;
  message.reasoning = state.core.last_reasoning;
  if (candidate.tool_calls.empty()) {
    context.emit(runtime::MessageChunk{candidate.thought, context.name()});
  }
  announce_calls(context, candidate.tool_calls);
  state.core.tool_calls = candidate.tool_calls;
  state.core.tool_results.clear();
  state.core.messages.push_back(std::move(message));
}

// --- expand ----------------------------------------------------------------------------------

// Keeps only candidates that are answers; used at the last level.
void keep_answers(std::vector<Candidate>& candidates) {
  std::erase_if(candidates, [](const Candidate& candidate) { return candidate.thought.empty(); });
  for (Candidate& candidate : candidates) candidate.tool_calls.clear();
}

void take_candidates(NodeContext& context, const Parts& parts, TotState& state,
                     const model::ModelReply& reply) {
  account(state.core, reply);
  ++state.core.think_count;
  state.core.last_reasoning = reply.message.reasoning;
  TotLevel level;
  level.depth = state.depth;
  level.messages = state.core.messages.size();
  level.candidates =
      read_candidates(reply.message, std::max<std::size_t>(1, parts->limits.tot_beam));
  if (is_last_level(state, parts->limits)) keep_answers(level.candidates);
  for (Candidate& candidate : level.candidates) {
    for (model::ToolCall& call : candidate.tool_calls) {
      if (call.id.empty()) call.id = "call_" + core::random_hex(*parts->entropy, 8);
    }
  }
  context.emit(runtime::TotExpand{thoughts_of(level)});
  state.levels.push_back(std::move(level));
}

void expand(NodeContext& context, const Parts& parts, TotState& state, NodeDone done) {
  const bool must_answer = is_last_level(state, parts->limits);
  ModelAsk ask;
  ask.messages = state.core.messages;
  ask.addon = expand_prompt(parts->limits.tot_beam, state.explored_paths, must_answer);
  ask.is_speech = false;
  ask_model(context, parts, std::move(ask),
            [&context, parts, &state,
             done = std::move(done)](core::Result<model::ModelReply> reply) mutable {
              if (!reply) {
                done(core::fail(std::move(reply).error()));
                return;
              }
              take_candidates(context, parts, state, *reply);
              if (!state.levels.back().candidates.empty()) {
                done(Next::edges());
                return;
              }
              suggest_backtrack(state, "no answer at the last level");
              if (level_to_return_to(state, kLowScore)) {
                done(Next::edges());
                return;
              }
              done(core::fail(core::Code::resource_exhausted,
                              "The tree of thoughts reached its depth of " +
                                  std::to_string(parts->limits.tot_depth) + " without an answer."));
            });
}

void expand_node(NodeContext& context, const Parts& parts, TotState& state, NodeDone done) {
  const std::uint64_t revision = state.core.log_revision();
  fit_conversation(
      context, parts, state.core,
      [&context, parts, &state, revision, done = std::move(done)](core::Result<void> fits) mutable {
        if (!fits) {
          done(core::fail(std::move(fits).error()));
          return;
        }
        // The earlier messages changed, so positions of the levels above are no longer valid.
        if (state.core.log_revision() != revision) state.levels.clear();
        expand(context, parts, state, std::move(done));
      });
}

// --- evaluate --------------------------------------------------------------------------------

void tell_heuristic(NodeContext& context, const std::string& why) {
  std::string value;
  core::JsonWriter json(value);
  json.begin_object().key("tot_heuristic").begin_object();
  json.key("reason").string(why);
  json.end_object().end_object();
  context.emit(runtime::Custom{std::move(value)});
}

void take_scores(NodeContext& context, TotState& state, std::vector<double> scores) {
  TotLevel& level = state.levels.back();
  for (std::size_t i = 0; i < scores.size(); ++i) level.candidates[i].score = scores[i];
  const std::size_t best = level.best_untried(0).value_or(0);
  const double score = scores[best];
  context.emit(runtime::TotEvaluate{best, std::move(scores)});
  if (score < kLowScore && level_to_return_to(state, kLowScore)) {
    suggest_backtrack(state, "low scores");
    return;
  }
  choose(context, state, best);
}

std::vector<double> heuristic_scores(const TotState& state) {
  std::vector<double> scores;
  const std::string request = last_request(state);
  for (const Candidate& candidate : state.levels.back().candidates) {
    scores.push_back(heuristic_score(candidate, request));
  }
  return scores;
}

void evaluate(NodeContext& context, const Parts& parts, TotState& state, NodeDone done) {
  const std::vector<Candidate>& candidates = state.levels.back().candidates;
  if (candidates.size() == 1) {
    take_scores(context, state, heuristic_scores(state));
    done(Next::edges());
    return;
  }
  std::vector<std::string> texts;
  texts.reserve(candidates.size());
  for (const Candidate& candidate : candidates) texts.push_back(described(candidate));
  ModelAsk ask;
  ask.messages = state.core.messages;
  ask.addon = evaluate_prompt(texts);
  ask.with_tools = false;
  ask.json_only = true;
  ask.is_speech = false;
  ask.may_be_empty = true;
  ask_model(
      context, parts, std::move(ask),
      [&context, &state, done = std::move(done)](core::Result<model::ModelReply> reply) mutable {
        if (!reply && reply.error().code == core::Code::cancelled) {
          done(core::fail(std::move(reply).error()));
          return;
        }
        std::optional<std::vector<double>> scores;
        if (reply) {
          account(state.core, *reply);
          scores = read_scores(reply->message.content, state.levels.back().candidates.size());
        }
        if (!scores) {
          tell_heuristic(context, reply ? "The scores could not be read." : reply.error().message);
          scores = heuristic_scores(state);
        }
        take_scores(context, state, *std::move(scores));
        done(Next::edges());
      });
}

// --- act, observe, backtrack -----------------------------------------------------------------

void observe(TotState& state) {
  const std::vector<ToolRecord>& results = state.core.tool_results;
  const auto is_error = [](const ToolRecord& result) { return result.is_error; };
  const bool failed = !results.empty() && std::ranges::all_of(results, is_error);
  if (failed && level_to_return_to(state, kLowScore)) {
    suggest_backtrack(state, "tool failure: " + shortened(results.front().content, 200));
  } else {
    ++state.depth;
  }
}

// The chosen thoughts from the level to which the search returns, and the reason of the failure.
std::vector<std::string> failed_path(const TotState& state, std::size_t from) {
  std::vector<std::string> path;
  for (std::size_t i = from; i < state.levels.size(); ++i) {
    const TotLevel& level = state.levels[i];
    if (level.tried.empty()) continue;
    path.push_back(shortened(level.candidates[level.tried.back()].thought, 200));
  }
  path.push_back("(" + state.path_failed_reason + ")");
  return path;
}

void backtrack(NodeContext& context, TotState& state, NodeDone done) {
  const std::optional<std::size_t> to = level_to_return_to(state, kLowScore);
  if (!to) {
    done(core::fail(core::Code::internal,
                    "The tree of thoughts has no earlier level to return to."));
    return;
  }
  state.explored_paths.push_back(failed_path(state, *to));
  state.levels.resize(*to + 1);
  const TotLevel& level = state.levels.back();
  state.core.truncate_messages(level.messages);
  state.depth = level.depth;
  state.suggest_backtrack = false;
  context.emit(runtime::TotBacktrack{std::exchange(state.path_failed_reason, {}), level.depth});
  choose(context, state, *level.best_untried(kLowScore));
  done(Next::edges());
}

std::string after_choice(const TotState& state) {
  if (state.suggest_backtrack) return "back";
  return state.core.tool_calls.empty() ? "answer" : "call";
}

}  // namespace

core::Result<std::shared_ptr<const graph::Graph>> make_tot_graph(Parts parts) {
  const StepSettings settings;
  const CoreNode act = act_node(parts, settings);
  const CoreNode end_turn = observe_node(settings);
  graph::StateGraph<TotState> graph;
  graph
      .node("think_expand",
            [parts](NodeContext& context, TotState& state, NodeDone done) {
              expand_node(context, parts, state, std::move(done));
            })
      .node("think_evaluate",
            [parts](NodeContext& context, TotState& state, NodeDone done) {
              evaluate(context, parts, state, std::move(done));
            })
      .node("act", [act](NodeContext& context, TotState& state,
                         NodeDone done) { act(context, state.core, std::move(done)); })
      .node("observe",
            [end_turn](NodeContext& context, TotState& state, NodeDone done) {
              observe(state);
              end_turn(context, state.core, std::move(done));
            })
      .node("backtrack", [](NodeContext& context, TotState& state,
                            NodeDone done) { backtrack(context, state, std::move(done)); })
      .edge(std::string(kStart), "think_expand")
      .conditional("think_expand",
                   [](const TotState& state) { return state.suggest_backtrack ? "back" : "on"; },
                   {{"back", "backtrack"}, {"on", "think_evaluate"}})
      .conditional("think_evaluate", after_choice,
                   {{"back", "backtrack"}, {"call", "act"}, {"answer", std::string(kEnd)}})
      .edge("act", "observe")
      .conditional("observe",
                   [](const TotState& state) { return state.suggest_backtrack ? "back" : "on"; },
                   {{"back", "backtrack"}, {"on", "think_expand"}})
      .conditional("backtrack", after_choice,
                   {{"back", "backtrack"}, {"call", "act"}, {"answer", std::string(kEnd)}});
  return graph.compile({.max_steps = parts->limits.max_steps});
}

}  // namespace parley::agent
