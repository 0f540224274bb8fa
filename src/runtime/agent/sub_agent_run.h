// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "core/cancel.h"
#include "runtime/agent/invoke_agent.h"
#include "runtime/stream/run_event.h"
#include "runtime/tool/tool.h"

namespace parley::agent {

// Where a sub-agent stands in the stream of the agent that called it.
struct SubAgentPlace {
  std::string name;
  std::string call_id;
  int depth = 1;
  std::size_t index = 0;                              // in the call
  std::function<void(runtime::RunEvent event)> emit;  // may be empty
};

// Runs a sub-agent on the scheduler of its parts' context. What it says is the result; an error,
// with what it said so far, if it did not get to its end.
void run_sub_agent(SubAgent agent, const std::string& task, SubAgentPlace place,
                   const core::CancelToken& cancel,
                   absl::AnyInvocable<void(tool::ToolResult)> done);

}  // namespace parley::agent
