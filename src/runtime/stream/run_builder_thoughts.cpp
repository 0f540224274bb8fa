// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "runtime/stream/run_builder_agent.h"

namespace parley::runtime {
namespace {

using namespace runtime;
namespace json = boost::json;

std::string text_of(const json::value* value) {
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string() : std::string(text->data(), text->size());
}

const json::array* array_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(json::string_view(name.data(), name.size()));
  return value == nullptr ? nullptr : value->if_array();
}

}  // namespace

// --- the tree of thoughts ------------------------------------------------------------------------

void RunBuilder::expand(const TotExpand& it) {
  TotLevel level;
  level.candidates = it.candidates;
  level.depth = depth_++;
  run_.tot.push_back(std::move(level));
}

void RunBuilder::evaluate(const TotEvaluate& it) {
  if (run_.tot.empty() || run_.tot.back().chosen) {
    if (run_.whole) {
      tell(FindingCode::tot_out_of_order, "tot_evaluate without candidates to choose from.");
    }
    return;
  }
  TotLevel& level = run_.tot.back();
  if (it.scores.size() != level.candidates.size()) {
    tell(FindingCode::tot_score_count,
         "tot_evaluate has " + std::to_string(it.scores.size()) + " scores for " +
             std::to_string(level.candidates.size()) + " candidates.");
  }
  if (it.chosen >= level.candidates.size()) {
    tell(FindingCode::tot_choice_out_of_range, "tot_evaluate chose candidate " +
                                                   std::to_string(it.chosen) + " of " +
                                                   std::to_string(level.candidates.size()) + '.');
  }
  level.scores = it.scores;
  level.chosen = it.chosen;
}

void RunBuilder::backtrack(const TotBacktrack& it) {
  if (run_.tot.empty() && run_.whole) {
    tell(FindingCode::tot_out_of_order, "tot_backtrack before any tot_expand.");
  }
  run_.backtracks.push_back({it.reason, it.to_depth});
  for (TotLevel& level : run_.tot) {
    if (level.depth > it.to_depth) level.abandoned = true;
  }
  depth_ = std::min(depth_, it.to_depth + 1);
}

// --- the graph of thoughts -----------------------------------------------------------------------

GotTask* RunBuilder::task(const std::string& id) {
  const auto found = std::find_if(run_.got.begin(), run_.got.end(),
                                  [&](const GotTask& it) { return it.id == id; });
  return found == run_.got.end() ? nullptr : &*found;
}

void RunBuilder::plan(const GotPlan& it) {
  if (it.node_count != it.node_ids.size()) {
    tell(FindingCode::got_plan_count, "got_plan names " + std::to_string(it.node_ids.size()) +
                                          " tasks and counts " + std::to_string(it.node_count) +
                                          '.');
  }
  run_.has_plan = true;
  run_.got.clear();
  for (const std::string& id : it.node_ids) {
    GotTask made;
    made.id = id;
    run_.got.push_back(std::move(made));
  }
}

void RunBuilder::task_start(const GotNodeStart& it) {
  GotTask* known = task(it.id);
  if (known == nullptr) {
    if (may_add_ > 0) {
      --may_add_;
    } else if (run_.whole || run_.has_plan) {
      tell(FindingCode::got_task_unknown,
           "got_node_start of \"" + it.id + "\", which no plan has named.");
    }
    known = &run_.got.emplace_back();
    known->id = it.id;
  } else if (known->state != GotTask::State::pending && run_.resumed == 0) {
    tell(FindingCode::got_out_of_order, "The task \"" + it.id + "\" begins a second time.");
  }
  known->state = GotTask::State::running;
}

void RunBuilder::task_complete(const GotNodeComplete& it) {
  GotTask* known = task(it.id);
  if (known == nullptr || known->state != GotTask::State::running) {
    if (run_.whole) {
      tell(FindingCode::got_out_of_order, "The task \"" + it.id + "\" ends without having begun.");
    }
  }
  if (known == nullptr) {
    known = &run_.got.emplace_back();
    known->id = it.id;
  }
  known->state = GotTask::State::done;
  known->summary = it.result_summary;
}

void RunBuilder::task_failed(const GotNodeFailed& it) {
  // One that depends on a task that failed fails without having begun.
  GotTask* known = task(it.id);
  if (known == nullptr) {
    if (may_add_ > 0) {
      --may_add_;
    } else if (run_.whole) {
      tell(FindingCode::got_task_unknown,
           "got_node_failed of \"" + it.id + "\", which no plan has named.");
    }
    known = &run_.got.emplace_back();
    known->id = it.id;
  } else if (known->state == GotTask::State::done) {
    tell(FindingCode::got_out_of_order, "The task \"" + it.id + "\" fails after it was done.");
  }
  known->state = GotTask::State::failed;
  known->summary = it.error;
}

void RunBuilder::task_expand(const GotExpand& it) {
  may_add_ += it.nodes_added;
  if (GotTask* known = task(it.node_id)) {
    known->nodes_added += it.nodes_added;
  } else if (run_.whole) {
    tell(FindingCode::got_task_unknown,
         "got_expand of \"" + it.node_id + "\", which no plan has named.");
  }
}

// Edges and descriptions are in the state only.
void RunBuilder::take_graph() {
  const json::value* graph = state_.object().if_contains("task_graph");
  if (graph == nullptr || !graph->is_object()) return;
  if (const json::array* nodes = array_of(graph->get_object(), "nodes")) {
    for (const json::value& node : *nodes) {
      if (!node.is_object()) continue;
      const std::string id = text_of(node.get_object().if_contains("id"));
      GotTask* known = task(id);
      if (known == nullptr) {
        known = &run_.got.emplace_back();
        known->id = id;
      }
      known->description = text_of(node.get_object().if_contains("description"));
    }
  }
  const json::array* edges = array_of(graph->get_object(), "edges");
  if (edges == nullptr) return;
  for (const json::value& edge : *edges) {
    const json::array* ends = edge.if_array();
    if (ends == nullptr || ends->size() != 2) continue;
    run_.got_edges.emplace_back(text_of(&(*ends)[0]), text_of(&(*ends)[1]));
  }
}

std::string_view state_name(ToolUse::State state) {
  switch (state) {
    case ToolUse::State::called:
      return "called";
    case ToolUse::State::waiting:
      return "waiting";
    case ToolUse::State::running:
      return "running";
    case ToolUse::State::ended:
      return "ended";
  }
  return "called";
}

std::string_view state_name(GotTask::State state) {
  switch (state) {
    case GotTask::State::pending:
      return "pending";
    case GotTask::State::running:
      return "running";
    case GotTask::State::done:
      return "done";
    case GotTask::State::failed:
      return "failed";
  }
  return "pending";
}

}  // namespace parley::runtime
