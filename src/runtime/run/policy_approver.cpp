// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/policy_approver.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/session/approval.h"
#include "runtime/run/approval_question.h"

namespace parley::run {

using core::Result;
using tool::Approval;

namespace {

ToolOrigin origin_of(const tool::Tool& tool) { return {tool.spec().name, tool.identity()}; }

// Allows the later calls of a tool, and answers the pending questions about it.
void allow_later(ApprovalRegistry& book, const ToolOrigin& tool,
                 const RunInteractions::Person& by) {
  book.allowed.insert(tool);
  if (book.grown) book.grown();
  std::vector<std::string> covered;
  for (const auto& [key, origin] : book.pending) {
    if (origin == tool) covered.push_back(key);
  }
  if (!book.cover) return;
  for (const std::string& key : covered) book.cover(key, by);
}

}  // namespace

Approval PolicyApprover::policy_of(const tool::Tool& tool,
                                   const boost::json::object& arguments) const {
  Approval policy = tool.approval_for(arguments);
  if (const auto named = setup_.approvals.find(tool.spec().name); named != setup_.approvals.end()) {
    policy = named->second;
  } else if (const auto all = setup_.approvals.find("*"); all != setup_.approvals.end()) {
    policy = all->second;
  }
  if (policy != Approval::deny) policy = setup_.in_place.value_or(policy);
  if (policy == Approval::ask && setup_.book->allowed.contains(origin_of(tool))) {
    policy = Approval::automatic;
  }
  return setup_.caller == nullptr ? policy
                                  : std::max(policy, setup_.caller->policy_of(tool, arguments));
}

std::unique_ptr<PolicyApprover> PolicyApprover::for_sub_agent(
    std::map<std::string, Approval> approvals) const {
  return std::make_unique<PolicyApprover>(Setup{setup_.run, std::move(approvals), setup_.in_place,
                                                setup_.interactions, setup_.waiting, setup_.book,
                                                this});
}

void PolicyApprover::decide(const tool::Tool& tool, const model::ToolCall& call,
                            const boost::json::object& arguments, const core::CancelToken& cancel,
                            Asking asking, absl::AnyInvocable<void(Result<Verdict>)> done) {
  switch (policy_of(tool, arguments)) {
    case Approval::automatic:
      return done(Verdict{true, {}});
    case Approval::deny:
      return done(
          Verdict{false, "The policy of this run does not allow \"" + tool.spec().name + "\"."});
    case Approval::ask:
      break;
  }
  if (call.arguments.size() > kMaxAskedBytes) {
    return done(
        Verdict{false, "The arguments have more than " + std::to_string(kMaxAskedBytes) +
                           " bytes, too many for a person to be asked. Make smaller calls."});
  }
  const ToolOrigin origin = origin_of(tool);
  ApprovalQuestion question = approval_question(setup_.run, call, origin.source);
  if (asking) asking(std::move(question.explanation));
  setup_.waiting(+1);
  session::AskRequest request{session::Authority::of_run()};
  request.key = approval_key(setup_.run.id, call.id);
  request.kind = session::InteractionKind::tool_approval;
  request.prompt = std::move(question.prompt);
  setup_.book->pending.insert_or_assign(request.key, origin);
  const std::string asked = request.prompt.arguments_sha256;
  const auto by = std::make_shared<RunInteractions::Person>();
  setup_.interactions.ask_owner(
      std::move(request), cancel,
      [waiting = setup_.waiting, book = setup_.book, origin, by,
       key = approval_key(setup_.run.id, call.id), asked,
       done = std::move(done)](Result<session::Answer> answer) mutable {
        waiting(-1);
        book->pending.erase(key);
        if (answer) {
          session::ApprovalVerdict verdict = session::approval_verdict(*answer);
          if (session::is_loose_consent(*answer)) {
            verdict.reason = "The answer was \"" + verdict.reason +
                             "\", which neither allows nor denies the call. Ask again.";
          }
          if (verdict.for_run) allow_later(*book, origin, *by);
          return done(Verdict{verdict.allow, std::move(verdict.reason), asked});
        }
        if (answer.error().code == core::Code::deadline_exceeded) {
          return done(Verdict{false, "Nobody answered in time."});
        }
        done(core::fail(std::move(answer.error())));
      },
      [by](const RunInteractions::Person& person) { *by = person; });
}

}  // namespace parley::run
