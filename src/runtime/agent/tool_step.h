// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/agent/agent.h"
#include "runtime/agent/react_state.h"
#include "runtime/graph/node.h"

namespace parley::agent {

// Callback when the state has advanced inside a node, so that the caller can store it.
using Progressed = std::function<void(const ReactState& state)>;

// tool::Tool::source() of tools that the client executes.
inline constexpr std::string_view kClientSource = "client";

// Makes the calls of a state that have no result yet. Emits tool_approval if a person is asked,
// tool_start, tool_output, tool_end; appends the answer of each call to the messages and its record
// to tool_results, in the order of the calls. All approvals are requested at the beginning, so that
// people can answer them at the same time. The calls run one after the other, in order; consecutive
// calls of client tools run at the same time. Every fault of a call is a result in words: an
// unknown tool, invalid arguments, a refusal, too many calls, a call that was running when the run
// was interrupted. After each call within the limit `progressed` is called and the node's
// checkpoint is made, so that no call with a result is repeated.
void run_tools(graph::NodeContext& context, ReactState& state,
               std::shared_ptr<const AgentParts> parts, Progressed progressed,
               graph::NodeDone done);

// Limit in bytes of the shown text of a result that the agent itself makes (a refusal, a fault).
// This limit and the next two apply besides those of tool::fit_output().
inline constexpr std::size_t kMaxShownResult = 1'000;
// Limit of raw_result; its beginning and end are kept.
inline constexpr std::size_t kMaxKeptResult = 256U << 10U;
// Limit of the text for the model; its beginning and end are kept.
inline constexpr std::size_t kMaxObservation = 64U << 10U;

// `text` if it has at most `limit` bytes, else its beginning and its end, with a note in between.
std::string head_and_tail(std::string_view text, std::size_t limit);
// The first `limit` bytes, cut between characters, then "..."; a shorter text unchanged.
std::string shortened(std::string_view text, std::size_t limit);

}  // namespace parley::agent
