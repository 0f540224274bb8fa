// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/hub_calls.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/core/id.h"
#include "dialects/assistant/codec.h"
#include "model/session/workspace.h"

namespace parley::app {

struct QuestionLeases::Lease {
  session::Subscription subscription;
  std::vector<std::weak_ptr<Ended>> waiting;
};

std::shared_ptr<void> QuestionLeases::ask(
    const session::SessionKey& workspace, session::AskRequest request,
    std::function<void(const session::InteractionPtr&)> opened, Ended ended) {
  const std::string id = workspace.id + '\0' + request.key;
  auto waiter = std::make_shared<Ended>(std::move(ended));
  const auto found = leases_.find(id);
  if (found != leases_.end()) {
    found->second->waiting.push_back(waiter);
    return waiter;
  }
  auto lease = std::make_shared<Lease>();
  lease->waiting.push_back(waiter);
  leases_.emplace(id, lease);
  // The hub may answer within its call; ask() promises not to.
  auto begin = [this, id, workspace, request = std::move(request),
                opened = std::move(opened)](Lease& here) mutable {
    here.subscription = session::Subscription(hub_, workspace, scheduler_);
    here.subscription.ask(
        std::move(request),
        [opened = std::move(opened)](const session::InteractionPtr& interaction) {
          if (opened) opened(interaction);
        },
        [this, id](const core::Result<session::InteractionPtr>& done) { on_ended(id, done); });
  };
  scheduler_.post(core::unless_gone(std::weak_ptr(lease), std::move(begin)));
  return waiter;
}

void QuestionLeases::on_ended(const std::string& id,
                              const core::Result<session::InteractionPtr>& ended) {
  const auto found = leases_.extract(id);
  if (!found) return;
  // Not destroyed here: its subscription is calling.
  scheduler_.post([lease = found.mapped()] {});
  for (const std::weak_ptr<Ended>& each : found.mapped()->waiting) {
    if (const auto waiter = each.lock()) (*waiter)(ended);
  }
}

namespace {

using session::InteractionPtr;

constexpr std::string_view kWindowClient = "mcp-client";

session::Prompt prompt_of(mcp::AssistantCall call) {
  session::Prompt prompt;
  prompt.text = std::move(call.text);
  prompt.project_directory = std::move(call.project_directory);
  prompt.agent_name = std::move(call.agent_name);
  prompt.model_name = std::move(call.reasoning_model_name);
  prompt.client_name = std::move(call.client_name);
  prompt.timeout_s =
      static_cast<std::int32_t>(std::chrono::ceil<std::chrono::seconds>(call.timeout).count());
  prompt.questions = std::move(call.questions);
  return prompt;
}

mcp::AssistantCall call_of(const session::Interaction& interaction) {
  const session::Prompt& prompt = interaction.prompt;
  PARLEY_ASSERT(interaction.kind == session::InteractionKind::question ||
                    interaction.kind == session::InteractionKind::task_finish,
                "interaction " + interaction.key + " is shown as a call of an MCP client");
  mcp::AssistantCall call;
  call.kind = interaction.kind == session::InteractionKind::question
                  ? mcp::AssistantCall::Kind::ask_question
                  : mcp::AssistantCall::Kind::task_finish;
  call.project_directory = prompt.project_directory;
  call.text = prompt.text;
  call.agent_name = prompt.agent_name;
  call.reasoning_model_name = prompt.model_name;
  call.client_name = prompt.client_name;
  call.timeout = std::chrono::seconds(prompt.timeout_s);
  call.questions = prompt.questions;
  return call;
}

mcp::AssistantOutcome outcome_of(const core::Result<InteractionPtr>& ended) {
  if (!ended) return core::fail(ended.error());
  return assistant::result_of(**ended);
}

mcp::LastingQuestion question_of(const session::Interaction& interaction) {
  mcp::LastingQuestion question;
  question.key = interaction.key;
  question.pending = interaction.state == session::InteractionState::pending;
  question.withdrawn = interaction.state == session::InteractionState::cancelled &&
                       interaction.outcome.client_id.empty();
  question.call = call_of(interaction);
  question.asked_at = interaction.opened_at;
  question.changed_at = question.pending ? interaction.opened_at : interaction.outcome.at;
  if (!question.pending) question.outcome = assistant::result_of(interaction);
  return question;
}

core::Error unknown() {
  return {core::Code::not_found, "There is no question with this key.", "key"};
}

}  // namespace

struct HubCalls::Waiting {
  std::string key;
  Done done;
  bool open = false;  // people see it
  session::Subscription subscription;
};

HubCalls::HubCalls(const HubCallsDependencies& dependencies, QuestionLeases& leases,
                   core::Scheduler& scheduler, HubCaller caller)
    : dependencies_(dependencies),
      leases_(leases),
      scheduler_(scheduler),
      workspace_(session::assistant_workspace(caller.workspace)),
      window_(std::move(caller.window)) {}

HubCalls::~HubCalls() = default;

session::AskRequest HubCalls::request_of(mcp::AssistantCall call, std::string key) const {
  session::AskRequest request{window_};
  request.key = std::move(key);
  request.kind = call.kind == mcp::AssistantCall::Kind::ask_question
                     ? session::InteractionKind::question
                     : session::InteractionKind::task_finish;
  request.prompt = prompt_of(std::move(call));
  request.gate = &dependencies_.gate;
  return request;
}

mcp::CallId HubCalls::start(mcp::AssistantCall call, Done done) {
  const mcp::CallId id = ++last_id_;
  auto waiting = std::make_shared<Waiting>();
  session::AskRequest request = request_of(std::move(call), {});
  request.key = dependencies_.orphans
                    .take({workspace_.id, window_.asker().token,
                           session::fingerprint(request.kind, request.prompt)},
                          scheduler_.clock().wall())
                    .value_or(std::string(OrphanedQuestions::kKeyPrefix) +
                              core::new_id(scheduler_.clock(), dependencies_.entropy));
  waiting->key = request.key;
  waiting->done = std::move(done);
  waiting_.emplace(id, waiting);
  // The hub may answer within its call; start() promises not to.
  scheduler_.post([this, id, weak = std::weak_ptr(waiting),
                   request = std::move(request)]() mutable {
    const auto here = weak.lock();
    if (!here) return;
    here->subscription = session::Subscription(dependencies_.hub, workspace_, scheduler_);
    here->subscription.ask(
        std::move(request),
        core::unless_gone(weak, [](Waiting& opened, const InteractionPtr&) { opened.open = true; }),
        [this, id](const core::Result<InteractionPtr>& ended) { on_ended(id, ended); });
  });
  return id;
}

void HubCalls::on_ended(mcp::CallId id, const core::Result<InteractionPtr>& ended) {
  const auto found = waiting_.extract(id);
  if (!found) return;
  // Not destroyed here: its subscription is calling.
  scheduler_.post([lease = found.mapped()] {});
  found.mapped()->done(outcome_of(ended));
}

void HubCalls::cancel(mcp::CallId call, std::string_view reason) {
  const auto found = waiting_.extract(call);
  if (!found) return;
  Waiting& waiting = *found.mapped();
  if (waiting.subscription) {
    waiting.subscription.withdraw(waiting.key, std::string(reason), window_);
  }
}

std::string HubCalls::status(mcp::CallId call) const {
  const auto found = waiting_.find(call);
  if (found == waiting_.end()) return "The question has ended.";
  return found->second->open ? "The question is in the inbox. Waiting for an answer."
                             : "The question is being sent.";
}

bool HubCalls::answer_in_window(mcp::CallId call, std::string text, std::string by) {
  const auto found = waiting_.find(call);
  if (found == waiting_.end() || !found->second->subscription) return false;
  found->second->subscription.answer(
      found->second->key, core::text_answer(std::move(text)),
      {window_, {std::string(kWindowClient), std::move(by)}, session::Channel::mcp},
      [](const core::Result<session::AnswerReceipt>&) {});
  return true;
}

std::string HubCalls::key_of(mcp::CallId call) const {
  const auto found = waiting_.find(call);
  return found == waiting_.end() ? std::string() : found->second->key;
}

HubCalls::FoundPtr HubCalls::guarded(Found done) const {
  return std::make_shared<Found>(core::while_alive(alive_, std::move(done)));
}

void HubCalls::open(mcp::AssistantCall call, std::string key, Found done) {
  const FoundPtr found = guarded(std::move(done));
  const auto opened = std::make_shared<bool>(false);
  auto waiter = std::make_shared<std::shared_ptr<void>>();
  *waiter = leases_.ask(
      workspace_, request_of(std::move(call), std::move(key)),
      [found, opened](const InteractionPtr& interaction) {
        *opened = true;
        (*found)(question_of(*interaction));
      },
      [found, opened, waiter](const core::Result<InteractionPtr>& ended) {
        waiter->reset();
        if (*opened) return;
        if (!ended) return (*found)(core::fail(ended.error()));
        (*found)(question_of(**ended));
      });
}

void HubCalls::find(std::string key, Found done) {
  dependencies_.store.interaction(
      workspace_.id, std::move(key), scheduler_,
      [found = guarded(std::move(done)),
       window = window_](core::Result<std::optional<event::StoredInteraction>> stored) {
        if (!stored) return (*found)(core::fail(stored.error()));
        if (!stored->has_value()) return (*found)(core::fail(unknown()));
        const auto interaction = session::interaction_from_payloads((*stored)->opened_payload,
                                                                    (*stored)->closed_payload);
        if (!interaction) return (*found)(core::fail(interaction.error()));
        if (!session::permitted(window, *interaction, session::Deed::read)) {
          return (*found)(core::fail(unknown()));
        }
        (*found)(question_of(*interaction));
      });
}

std::shared_ptr<void> HubCalls::await(std::string key, Found done) {
  auto waiter = std::make_shared<std::shared_ptr<void>>();
  const FoundPtr found = guarded(std::move(done));
  auto ask = [this, found](std::shared_ptr<void>& here,
                           const core::Result<mcp::LastingQuestion>& question) {
    if (!question || !question->pending) return (*found)(question);
    here = leases_.ask(workspace_, request_of(question->call, question->key), nullptr,
                       [found](const core::Result<InteractionPtr>& ended) {
                         if (!ended) return (*found)(core::fail(ended.error()));
                         (*found)(question_of(**ended));
                       });
  };
  find(std::move(key), core::unless_gone(std::weak_ptr(waiter), std::move(ask)));
  return waiter;
}

session::Session::AnswerDone HubCalls::receipt_to(
    const FoundPtr& done, std::shared_ptr<session::Subscription> subscription) const {
  return [done, subscription,
          &scheduler = scheduler_](const core::Result<session::AnswerReceipt>& receipt) {
    scheduler.post([subscription] {});
    if (!receipt) return (*done)(core::fail(receipt.error()));
    (*done)(question_of(*receipt->interaction));
  };
}

void HubCalls::withdraw(std::string key, std::string reason, Found done) {
  auto subscription =
      std::make_shared<session::Subscription>(dependencies_.hub, workspace_, scheduler_);
  subscription->cancel(std::move(key), std::move(reason), {window_},
                       receipt_to(guarded(std::move(done)), subscription));
}

void HubCalls::answer(std::string key, std::string text, std::string by, Found done) {
  auto subscription =
      std::make_shared<session::Subscription>(dependencies_.hub, workspace_, scheduler_);
  subscription->answer(
      std::move(key), core::text_answer(std::move(text)),
      {window_, {std::string(kWindowClient), std::move(by)}, session::Channel::mcp},
      receipt_to(guarded(std::move(done)), subscription));
}

}  // namespace parley::app
