// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "server/hub_calls.h"

#include <chrono>
#include <utility>

#include "core/id.h"
#include "protocol/assistant/codec.h"
#include "session/workspace.h"

namespace parley::app {
namespace {

session::Prompt prompt_of(mcp::AssistantCall call) {
  session::Prompt prompt;
  prompt.text = std::move(call.text);
  prompt.project_directory = std::move(call.project_directory);
  prompt.agent_name = std::move(call.agent_name);
  prompt.model_name = std::move(call.reasoning_model_name);
  prompt.client_name = std::move(call.client_name);
  prompt.timeout_s =
      static_cast<std::int32_t>(std::chrono::ceil<std::chrono::seconds>(call.timeout).count());
  for (const agentassistproto::Question& asked : call.questions) {
    session::Question& question = prompt.questions.emplace_back();
    question.text = asked.question();
    question.header = asked.header();
    question.multiple = asked.multiple();
    question.custom = asked.custom();
    for (const agentassistproto::Option& option : asked.options()) {
      question.choices.push_back({option.label(), option.description()});
    }
  }
  return prompt;
}

mcp::AssistantOutcome outcome_of(const core::Result<session::InteractionPtr>& ended) {
  if (!ended) return core::fail(ended.error());
  const auto response = assistant::question_response((*ended)->key, assistant::result_of(**ended));
  mcp::AssistantReply reply;
  reply.is_error = response.iserror();
  reply.meta = {response.meta().begin(), response.meta().end()};
  reply.contents = {response.contents().begin(), response.contents().end()};
  return reply;
}

}  // namespace

HubCalls::HubCalls(session::Hub& hub, core::WorkGate& gate, core::Entropy& entropy,
                   core::Scheduler& scheduler, std::string_view workspace)
    : hub_(hub),
      gate_(gate),
      entropy_(entropy),
      scheduler_(scheduler),
      workspace_(session::assistant_workspace(workspace)) {}

HubCalls::~HubCalls() = default;

mcp::CallId HubCalls::start(mcp::AssistantCall call, Done done) {
  const mcp::CallId id = ++last_id_;
  session::AskRequest request;
  request.key = core::new_id(scheduler_.clock(), entropy_);
  request.kind = call.kind == mcp::AssistantCall::Kind::ask_question
                     ? session::InteractionKind::question
                     : session::InteractionKind::task_finish;
  request.prompt = prompt_of(std::move(call));
  request.gate = &gate_;
  auto waiting = std::make_shared<Waiting>();
  waiting->key = request.key;
  waiting->done = std::move(done);
  waiting_.emplace(id, waiting);
  // The hub may answer within the call; AssistantCalls promises not to.
  scheduler_.post([this, id, weak = std::weak_ptr(waiting),
                   request = std::move(request)]() mutable {
    const auto here = weak.lock();
    if (!here) return;
    here->subscription = session::Subscription(hub_, workspace_, scheduler_);
    here->subscription.ask(
        std::move(request),
        [weak](const session::InteractionPtr&) {
          if (const auto opened = weak.lock()) opened->open = true;
        },
        [this, id](const core::Result<session::InteractionPtr>& ended) { on_ended(id, ended); });
  });
  return id;
}

void HubCalls::on_ended(mcp::CallId id, const core::Result<session::InteractionPtr>& ended) {
  const auto found = waiting_.extract(id);
  if (!found) return;
  // Not destroyed here: its subscription is calling.
  scheduler_.post([kept = found.mapped()] {});
  found.mapped()->done(outcome_of(ended));
}

void HubCalls::cancel(mcp::CallId call, std::string_view reason) {
  const auto found = waiting_.extract(call);
  if (!found) return;
  Waiting& waiting = *found.mapped();
  if (waiting.subscription) waiting.subscription.withdraw(waiting.key, std::string(reason));
}

std::string HubCalls::status(mcp::CallId call) const {
  const auto found = waiting_.find(call);
  if (found == waiting_.end()) return "The question has ended.";
  return found->second->open ? "The question is in the inbox. Waiting for an answer."
                             : "The question is being sent.";
}

}  // namespace parley::app
