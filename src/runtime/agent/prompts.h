// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Prompts of the agents other than plain conversation. Each begins with a line "[parley:task
// NAME]", by which the built-in demonstration recognises the task.
namespace parley::agent {

// dup_understand: {"core_goal","key_constraints","relevant_context"}.
std::string understand_prompt();

// tot_expand: candidates of the next step. `failed` are the failed paths; `must_answer`: the tree
// has reached its depth, only answers count.
std::string expand_prompt(std::size_t candidates,
                          const std::vector<std::vector<std::string>>& failed, bool must_answer);
// tot_evaluate: {"scores":[...]}, one score per candidate, between 0 and 1.
std::string evaluate_prompt(const std::vector<std::string>& candidates);

// got_plan: {"nodes":[{"id","description"}],"edges":[["a","b"]]}. `fault` is the fault of the
// previous plan.
std::string plan_prompt(std::string_view fault);
// got_task: the work on one task, with all tools.
std::string task_prompt();
std::string task_message(std::string_view request, std::string_view task,
                         const std::vector<std::pair<std::string, std::string>>& earlier);
// got_complexity: one word.
std::string complexity_prompt(std::string_view task, std::string_view result);
// got_decompose: a plan of 2 to 6 nodes.
std::string decompose_prompt(std::string_view task, std::string_view result, std::size_t room);
// summary: one answer from the results of several tasks.
std::string merge_prompt();
std::string merge_message(std::string_view request,
                          const std::vector<std::pair<std::string, std::string>>& results,
                          const std::vector<std::pair<std::string, std::string>>& failures);

}  // namespace parley::agent
