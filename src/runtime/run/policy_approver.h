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

// The tools that people have allowed in a run, and those that they are asked about. Shared with its
// sub-agents.
struct ApprovalBook {
  AllowedTools allowed;                       // where the policy says "ask"
  std::map<std::string, ToolOrigin> pending;  // by the key of the interaction
  std::function<void()> grown;                // `allowed` has more
  // Closes what is pending and now allowed, in the name of whoever allowed it. May be empty.
  std::function<void(const std::string& key, const session::Actor& by)> cover;
};

// Decides by policy whether a call may run, and asks the owner's people where it says "ask". The
// policy of a tool is the profile's for its name, the profile's for "*", or the tool's own; the
// run's setting takes its place, but never loosens "deny". An answer that allows the later calls of
// a tool closes the questions about it that are open. Belongs to the run's shard.
class PolicyApprover final : public agent::Approver {
 public:
  struct Setup {
    const Run& run;  // outlives this
    std::map<std::string, tool::Approval> approvals;
    std::optional<tool::Approval> in_place;
    RunInteractions& interactions;
    std::function<void(int change)> waiting;  // +1: a person is asked, -1: no longer
    std::shared_ptr<ApprovalBook> book;
    const PolicyApprover* caller = nullptr;  // of a sub-agent; outlives this
  };

  explicit PolicyApprover(Setup setup) : setup_(std::move(setup)) {}

  void decide(const tool::Tool& tool, const model::ToolCall& call,
              const boost::json::object& arguments, const core::CancelToken& cancel,
              std::function<void()> asking,
              absl::AnyInvocable<void(core::Result<Verdict>)> done) override;

  // That of a sub-agent: what its profile says, and never less strict than this.
  std::unique_ptr<PolicyApprover> for_sub_agent(
      std::map<std::string, tool::Approval> approvals) const;

  tool::Approval policy_of(const tool::Tool& tool, const boost::json::object& arguments) const;

 private:
  Setup setup_;
};

}  // namespace parley::run
