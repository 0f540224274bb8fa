// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/policy_approver.h"

#include <algorithm>
#include <utility>

#include "runtime/run/approval_question.h"
#include "runtime/tool/schema_check.h"
#include "session/approval.h"

namespace parley::run {

using core::Result;
using tool::Approval;

Approval PolicyApprover::policy_of(const tool::Tool& tool, const model::ToolCall& call) const {
  const auto arguments = tool::read_arguments(tool.spec().parameters, call.arguments);
  Approval policy = arguments ? tool.approval_for(*arguments) : tool.default_approval();
  if (const auto named = setup_.approvals.find(tool.spec().name); named != setup_.approvals.end()) {
    policy = named->second;
  } else if (const auto all = setup_.approvals.find("*"); all != setup_.approvals.end()) {
    policy = all->second;
  }
  if (policy != Approval::deny) policy = setup_.in_place.value_or(policy);
  return setup_.caller == nullptr ? policy : std::max(policy, setup_.caller->policy_of(tool, call));
}

std::unique_ptr<PolicyApprover> PolicyApprover::for_sub_agent(
    std::map<std::string, Approval> approvals) const {
  return std::make_unique<PolicyApprover>(Setup{setup_.run, std::move(approvals), setup_.in_place,
                                                setup_.interactions, setup_.waiting, this});
}

void PolicyApprover::decide(const tool::Tool& tool, const model::ToolCall& call,
                            const core::CancelToken& cancel, std::function<void()> asking,
                            absl::AnyInvocable<void(Result<Verdict>)> done) {
  switch (policy_of(tool, call)) {
    case Approval::automatic:
      return done(Verdict{true, {}});
    case Approval::deny:
      return done(
          Verdict{false, "The policy of this run does not allow \"" + tool.spec().name + "\"."});
    case Approval::ask:
      break;
  }
  if (asking) asking();
  setup_.waiting(+1);
  session::AskRequest request;
  request.key = approval_key(setup_.run.id, call.id);
  request.kind = session::InteractionKind::tool_approval;
  request.prompt = approval_prompt(setup_.run, call);
  setup_.interactions.ask_owner(
      std::move(request), cancel,
      [waiting = setup_.waiting, done = std::move(done)](Result<session::Answer> answer) mutable {
        waiting(-1);
        if (answer) {
          session::ApprovalVerdict said = session::approval_verdict(*answer);
          return done(Verdict{said.allow, std::move(said.reason)});
        }
        if (answer.error().code == core::Code::deadline_exceeded) {
          return done(Verdict{false, "Nobody answered in time."});
        }
        done(core::fail(std::move(answer.error())));
      });
}

}  // namespace parley::run
