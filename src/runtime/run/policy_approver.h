// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "runtime/agent/agent.h"
#include "runtime/run/run.h"
#include "runtime/run/run_interactions.h"
#include "runtime/tool/tool.h"

namespace parley::run {

// The tools that people have allowed during a run, and the pending questions. Shared with its
// sub-agents.
struct ApprovalRegistry {
  AllowedTools allowed;                       // run without a question where the policy is `ask`
  std::map<std::string, ToolOrigin> pending;  // by key of the interaction
  std::function<void()> grown;                // called after `allowed` has changed; may be empty
  // Answers a pending question with Allow, in the name of `by`. May be empty.
  std::function<void(const std::string& key, const RunInteractions::Person& by)> cover;
};

// Decides by policy whether a call may run, and asks the owner's people if the policy is `ask`. The
// policy of a tool is the profile's for its name, else the profile's for "*", else the tool's own.
// The run's setting replaces it, unless it is `deny`. A sub-agent's policy is at least as strict as
// its caller's. An answer that allows the later calls of a tool also answers the pending questions
// about it. Used on the run's shard.
class PolicyApprover final : public agent::Approver {
 public:
  struct Setup {
    const Run& run;  // must outlive the approver
    std::map<std::string, tool::Approval> approvals;
    std::optional<tool::Approval> in_place;
    RunInteractions& interactions;
    std::function<void(int change)> waiting;  // +1: a person is asked, -1: no longer
    std::shared_ptr<ApprovalRegistry> book;
    const PolicyApprover* caller = nullptr;  // of a sub-agent; must outlive the approver
  };

  explicit PolicyApprover(Setup setup) : setup_(std::move(setup)) {}

  void decide(const tool::Tool& tool, const model::ToolCall& call,
              const boost::json::object& arguments, const core::CancelToken& cancel, Asking asking,
              absl::AnyInvocable<void(core::Result<Verdict>)> done) override;

  // An approver for a sub-agent with the approvals of its profile, never less strict than this one,
  // which must outlive it.
  std::unique_ptr<PolicyApprover> for_sub_agent(
      std::map<std::string, tool::Approval> approvals) const;

  tool::Approval policy_of(const tool::Tool& tool, const boost::json::object& arguments) const;

 private:
  Setup setup_;
};

}  // namespace parley::run
