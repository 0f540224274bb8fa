// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/held_calls.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/core/ask.h"
#include "base/core/number_text.h"

namespace parley::mcp {
namespace {

AssistantReply text_of_state(std::string text, bool is_error) {
  AssistantReply reply = core::text_answer(std::move(text));
  reply.is_error = is_error;
  return reply;
}

}  // namespace

CallId HeldCalls::start(AssistantCall call, Done done) {
  if (call.kind == AssistantCall::Kind::await_answer) return await(call.text, std::move(done));
  if (longest_ == core::Millis::zero()) return calls_.start(std::move(call), std::move(done));
  if (questions_.size() >= kMaxQuestions) {
    return end_at_once(
        std::move(done),
        text_of_state("Too many questions wait for an answer (256). Call await_answer "
                      "for one of them first.",
                      true));
  }
  const QuestionId id = ++last_question_;
  questions_[id].inner = calls_.start(
      std::move(call), [this, id](AssistantOutcome outcome) { on_answer(id, std::move(outcome)); });
  const CallId outer = ++last_call_;
  wait(id, outer, std::move(done));
  return outer;
}

CallId HeldCalls::await(std::string_view text, Done done) {
  const auto id = core::parse_number<QuestionId>(text);
  const auto found = id ? questions_.find(*id) : questions_.end();
  if (found == questions_.end()) {
    return end_at_once(
        std::move(done),
        text_of_state("No question with this id waits: it was answered, or withdrawn "
                      "because await_answer was not called in time. Ask again.",
                      true));
  }
  Question& question = found->second;
  if (question.outer != 0) {
    return end_at_once(std::move(done),
                       text_of_state("Another call waits for this answer already.", true));
  }
  scheduler_.cancel(question.timer);
  if (question.answer) {
    AssistantOutcome outcome = *std::move(question.answer);
    questions_.erase(found);
    return end_at_once(std::move(done), std::move(outcome));
  }
  const CallId outer = ++last_call_;
  wait(*id, outer, std::move(done));
  return outer;
}

void HeldCalls::wait(QuestionId id, CallId outer, Done done) {
  Question& question = questions_.at(id);
  question.outer = outer;
  question.done = std::move(done);
  question.timer = scheduler_.after(longest_, [this, id] { hold(id); });
}

// Ends the call that waits; the question stays.
void HeldCalls::hold(QuestionId id) {
  Question& question = questions_.at(id);
  question.outer = 0;
  question.timer = scheduler_.after(
      kHeldFor, [this, id] { give_up(id, "The agent has not come back for the answer."); });
  Done done = std::move(question.done);
  const std::string name = std::to_string(id);
  done(text_of_state(
      "Still waiting for the person: there is no answer yet. Call the tool "
      "await_answer with id \"" +
          name +
          "\" now to go on waiting. Do not ask again, and do nothing that depends on "
          "the answer. The question is withdrawn after 120 seconds without that call.",
      false));
}

void HeldCalls::on_answer(QuestionId id, AssistantOutcome outcome) {
  const auto found = questions_.find(id);
  if (found == questions_.end()) return;
  Question& question = found->second;
  question.inner = 0;
  if (question.outer == 0) {
    question.answer = std::move(outcome);
    return;
  }
  scheduler_.cancel(question.timer);
  Done done = std::move(question.done);
  questions_.erase(found);
  done(std::move(outcome));
}

void HeldCalls::give_up(QuestionId id, std::string_view reason) {
  const auto found = questions_.find(id);
  if (found == questions_.end()) return;
  const CallId inner = found->second.inner;
  scheduler_.cancel(found->second.timer);
  questions_.erase(found);
  if (inner != 0) calls_.cancel(inner, reason);
}

CallId HeldCalls::end_at_once(Done done, AssistantOutcome outcome) {
  core::reply(scheduler_, std::move(done), std::move(outcome));
  return ++last_call_;
}

std::map<HeldCalls::QuestionId, HeldCalls::Question>::const_iterator HeldCalls::find_outer(
    CallId call) const {
  return std::find_if(questions_.begin(), questions_.end(),
                      [call](const auto& one) { return one.second.outer == call; });
}

void HeldCalls::cancel(CallId call, std::string_view reason) {
  if (longest_ == core::Millis::zero()) return calls_.cancel(call, reason);
  const auto found = call == 0 ? questions_.end() : find_outer(call);
  if (found != questions_.end()) give_up(found->first, reason);
}

CallId HeldCalls::inner_of(CallId call) const {
  if (longest_ == core::Millis::zero()) return call;
  const auto found = call == 0 ? questions_.end() : find_outer(call);
  return found == questions_.end() ? 0 : found->second.inner;
}

std::string HeldCalls::status(CallId call) const {
  const CallId inner = inner_of(call);
  return inner == 0 ? std::string() : calls_.status(inner);
}

bool HeldCalls::answer_in_window(CallId call, std::string text, std::string by) {
  const CallId inner = inner_of(call);
  return inner != 0 && calls_.answer_in_window(inner, std::move(text), std::move(by));
}

std::string HeldCalls::key_of(CallId call) const {
  const CallId inner = inner_of(call);
  return inner == 0 ? std::string() : calls_.key_of(inner);
}

void HeldCalls::close(std::string_view reason) {
  while (!questions_.empty()) give_up(questions_.begin()->first, reason);
}

}  // namespace parley::mcp
