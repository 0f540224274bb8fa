// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "runtime/stream/run_checker.h"

namespace parley::runtime {

// --- the tree of thoughts ------------------------------------------------------------------------

void RunChecker::evaluate(const TotEvaluate& it) {
  if (!candidates_) {
    if (run_.complete) {
      tell(FindingCode::tot_out_of_order, "tot_evaluate without candidates to choose from.");
    }
    return;
  }
  const std::size_t count = *std::exchange(candidates_, std::nullopt);
  if (it.scores.size() != count) {
    tell(FindingCode::tot_score_count, "tot_evaluate has " + std::to_string(it.scores.size()) +
                                           " scores for " + std::to_string(count) + " candidates.");
  }
  if (it.chosen >= count) {
    tell(FindingCode::tot_choice_out_of_range, "tot_evaluate chose candidate " +
                                                   std::to_string(it.chosen) + " of " +
                                                   std::to_string(count) + '.');
  }
}

void RunChecker::backtrack() {
  if (!expanded_ && run_.complete) {
    tell(FindingCode::tot_out_of_order, "tot_backtrack before any tot_expand.");
  }
}

// --- the graph of thoughts -----------------------------------------------------------------------

RunChecker::Task* RunChecker::task(std::string_view id) {
  const auto found =
      std::find_if(tasks_.begin(), tasks_.end(), [&](const Task& it) { return it.id == id; });
  return found == tasks_.end() ? nullptr : &*found;
}

RunChecker::Task& RunChecker::add_task(const std::string& id) {
  return tasks_.emplace_back(Task{id, Task::State::pending});
}

void RunChecker::plan(const GotPlan& it) {
  if (it.node_count != it.node_ids.size()) {
    tell(FindingCode::got_plan_count, "got_plan names " + std::to_string(it.node_ids.size()) +
                                          " tasks and counts " + std::to_string(it.node_count) +
                                          '.');
  }
  has_plan_ = true;
  tasks_.clear();
  for (const std::string& id : it.node_ids) add_task(id);
}

void RunChecker::task_start(const GotNodeStart& it) {
  Task* known = task(it.id);
  if (known == nullptr) {
    if (may_add_ > 0) {
      --may_add_;
    } else if (run_.complete || has_plan_) {
      tell(FindingCode::got_task_unknown,
           "got_node_start of \"" + it.id + "\", which no plan has named.");
    }
    known = &add_task(it.id);
  } else if (known->state != Task::State::pending && run_.resumed == 0) {
    tell(FindingCode::got_out_of_order, "The task \"" + it.id + "\" begins a second time.");
  }
  known->state = Task::State::running;
}

void RunChecker::task_complete(const GotNodeComplete& it) {
  Task* known = task(it.id);
  if (known == nullptr || known->state != Task::State::running) {
    if (run_.complete) {
      tell(FindingCode::got_out_of_order, "The task \"" + it.id + "\" ends without having begun.");
    }
  }
  if (known == nullptr) {
    known = &add_task(it.id);
  }
  known->state = Task::State::done;
}

void RunChecker::task_failed(const GotNodeFailed& it) {
  // A task that depends on a failed task fails without having started.
  Task* known = task(it.id);
  if (known == nullptr) {
    if (may_add_ > 0) {
      --may_add_;
    } else if (run_.complete) {
      tell(FindingCode::got_task_unknown,
           "got_node_failed of \"" + it.id + "\", which no plan has named.");
    }
    known = &add_task(it.id);
  } else if (known->state == Task::State::done) {
    tell(FindingCode::got_out_of_order, "The task \"" + it.id + "\" fails after it was done.");
  }
  known->state = Task::State::failed;
}

void RunChecker::task_expand(const GotExpand& it) {
  may_add_ += it.nodes_added;
  if (task(it.node_id) == nullptr && run_.complete) {
    tell(FindingCode::got_task_unknown,
         "got_expand of \"" + it.node_id + "\", which no plan has named.");
  }
}

}  // namespace parley::runtime
