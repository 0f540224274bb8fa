// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"
#include "runtime/agent/agent.h"
#include "runtime/tool/tool.h"

namespace parley::agent {

// Request for a sub-agent.
struct SubAgentRequest {
  std::string agent;           // a kind, or the name of a profile
  std::string working_folder;  // absolute, inside that of the calling agent
  int depth = 1;               // of the sub-agent
  // Upper bound of the sub-agent's tools and approvals: the calling sub-agent; null: the agent of
  // the run.
  std::shared_ptr<const AgentParts> caller = {};
};

struct SubAgent {
  Kind kind = Kind::react;
  // Model, tools, prompt, limits, approver, entropy, and in the context owner, session and run. A
  // tool invoke_agent among the tools is replaced by one for this depth.
  std::shared_ptr<AgentParts> parts;
  // Time limit of the sub-agent; when it passes, the sub-agent ends with an error.
  std::optional<core::Millis> timeout = {};
};

// Builds the parts of a sub-agent; calls `done` on `scheduler`, at once or later. Errors:
// `not_found` (agent, model), `invalid_argument`.
using SubAgentFactory =
    std::function<void(const SubAgentRequest& request, core::Scheduler& scheduler,
                       absl::AnyInvocable<void(core::Result<SubAgent>)> done)>;

// The tool invoke_agent {agents:[{agent, task, working_folder?}], fail_fast?} of one run. Its
// sub-agents, at most kMaxSubAgents of the run at a time, are runs within the call: their events
// are nested in the caller's stream as custom {"sub_agent","call_id","depth","index","event"}
// (events that hold a state are left out; tool_approval is also emitted unnested, so that it can be
// answered), a cancellation of the caller reaches them, and their replies are the result.
// `fail_fast`: the first failure ends the other sub-agents. At depth `max_depth` the tool refuses
// in words.
tool::ToolPtr make_invoke_agent(SubAgentFactory factory, std::size_t max_depth);

inline constexpr std::string_view kInvokeAgent = "invoke_agent";
// Limit (Runs): sub-agents at once. Reached: wait.
inline constexpr std::size_t kMaxSubAgents = 3;  // at the same time, per run
// Limit (Runs): sub-agents of a call. Reached: refused with a sentence.
inline constexpr std::size_t kMaxSubAgentsOfCall = 16;  // per call

}  // namespace parley::agent
