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

// Told when the state has got further in the midst of a node: it should be kept.
using Progressed = std::function<void(const ReactState& state)>;

// tool::Tool::source() of tools that the client carries out.
inline constexpr std::string_view kClientSource = "client";

// Makes the calls of a state that have no result yet: emits tool_approval if a person is asked,
// tool_start, tool_output, tool_end; appends to the messages the answer of each call, and to
// tool_results its record. Whether they may be made is decided of all at the beginning, so that
// people are asked about all of them at once. They are made one after the other, in their order;
// calls of the client's tools that follow each other are given to it together. Their results are
// recorded in their order, too. Everything that can be wrong with a call is a result in
// words: an unknown tool, arguments that do not fit, a refusal, too many calls, a call that was
// under way when the run was interrupted. After each call `progressed` is told, then the node's
// checkpoint is made: no call that has a result is made again.
//
// `context` and `state` outlive the step. Errors: `cancelled`, those of the store and of the
// approver.
void run_tools(graph::NodeContext& context, ReactState& state,
               std::shared_ptr<const AgentParts> parts, Progressed progressed,
               graph::NodeDone done);

// Results are fitted by tool::fit_output(): what is shown, what the model gets, where the rest is.
// Beyond that, in bytes: of our own words at most this much is shown,
inline constexpr std::size_t kMaxShownResult = 1'000;
// of a raw_result the beginning and the end,
inline constexpr std::size_t kMaxKeptResult = 256U << 10U;
// and of what the model gets.
inline constexpr std::size_t kMaxObservation = 64U << 10U;

// `text` if it has at most `limit` bytes, else its beginning and its end, with a note in between.
std::string head_and_tail(std::string_view text, std::size_t limit);
// The first `limit` bytes, whole characters, and "..." if there was more.
std::string shortened(std::string_view text, std::size_t limit);

}  // namespace parley::agent
