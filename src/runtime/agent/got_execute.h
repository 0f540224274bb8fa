// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/agent/agent.h"
#include "runtime/agent/got_state.h"
#include "runtime/graph/node.h"

namespace parley::agent {

// Executes the tasks of a plan until all are done or failed. Tasks whose needs are met run at the
// same time, at most AgentLimits::got_concurrency, each as a react of its own within this node,
// with at most kTaskThinks replies. Emits got_node_start, got_node_complete, got_node_failed, and
// for each node entry of a task a custom {"got_task":{"task","id","node_id"}}. A failed task fails
// all tasks that need it. `adaptive`: a finished task may be expanded (got_expand). A checkpoint is
// made after every step of every task. Errors: `cancelled`; `unavailable` if no sink was done.
void execute_tasks(graph::NodeContext& context, GotState& state,
                   std::shared_ptr<const AgentParts> parts, bool adaptive, graph::NodeDone done);

// True if a task seems to need more than one step: it is long, or has a word such as "analyze".
bool looks_complex(std::string_view description);
// The model's opinion, from "simple" or "complex" in its reply; std::nullopt if it has neither or
// both.
std::optional<bool> read_complexity(std::string_view text);

// Limit (Runs): got: replies of a task. Reached: the task fails.
inline constexpr std::size_t kTaskThinks = 10;
inline constexpr std::size_t kMaxSummary = 200;  // bytes of the summary in got_node_complete
inline constexpr std::size_t kMinExpansion = 2;  // tasks that one expansion adds
inline constexpr std::size_t kMaxExpansion = 6;
inline constexpr std::uint64_t kMaxExpansionLevel = 2;  // tasks of this level are not expanded

}  // namespace parley::agent
