// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/mcp/assistant_call.h"
#include "base/core/clock.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"

namespace parley::mcp {

// Limit (agentassistant-mcp and parley ask): shortest `timeout` of a tool; the longest is that of
// an interaction. Reached: clamped; the result says so.
inline constexpr core::Millis kShortestWait = std::chrono::seconds(5);

// The tools that an agent is offered: all, unless the command line disables some.
struct ToolChoice {
  bool ask_question = true;
  bool reports = true;            // task_finish and work_report
  bool has_await_answer = false;  // calls end early, and await_answer goes on with them
};

// The kind of call that a tool makes; std::nullopt for an unknown or a disabled tool.
std::optional<AssistantCall::Kind> find_tool(std::string_view name, const ToolChoice& choice);

// Appends the array of tools for the answer to tools/list. `tasks`: says that a call may become a
// task, as revision 2025-11-25 does.
void write_tools(core::JsonWriter& json, const ToolChoice& choice, bool tasks = false);

struct ToolArguments {
  AssistantCall call;
  // Notes for the agent on changes to its arguments, for example a changed timeout.
  std::vector<std::string> notes;
};

// Parses a call's arguments (an object, or null for none). An error's message is written for the
// agent; its field is the argument.
core::Result<ToolArguments> read_arguments(AssistantCall::Kind kind,
                                           const boost::json::value& arguments);

}  // namespace parley::mcp
