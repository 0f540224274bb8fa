// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/core/cancel.h"
#include "runtime/agent/invoke_agent.h"
#include "runtime/stream/run_event.h"
#include "runtime/tool/tool.h"

namespace parley::agent {

// Position of a sub-agent in the stream of the calling agent.
struct SubAgentPlace {
  std::string name;
  std::string call_id;
  int depth = 1;
  std::size_t index = 0;                              // within the call
  std::function<void(runtime::RunEvent event)> emit;  // may be empty
};

// Runs a sub-agent on the scheduler of its parts' context. The result is its reply; if it did not
// finish, an error with its text so far.
void run_sub_agent(SubAgent agent, const std::string& task, SubAgentPlace place,
                   const core::CancelToken& cancel,
                   absl::AnyInvocable<void(tool::ToolResult)> done);

}  // namespace parley::agent
