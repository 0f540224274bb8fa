// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/input_calls.h"

#include <memory>
#include <utility>

#include "agents/mcp/json_rpc.h"
#include "agents/mcp/question_form.h"
#include "agents/mcp/task_calls.h"
#include "agents/mcp/tool_result.h"
#include "base/core/id.h"
#include "base/core/json_member.h"

namespace parley::mcp {
namespace {

using boost::json::object;
using boost::json::value;

constexpr std::size_t kInputIdBytes = 16;

void reply_outcome(const ExchangePtr& exchange, const LastingQuestion& ended) {
  std::string result;
  core::JsonWriter json(result);
  json.begin_object();
  write_tool_result(json, ended.outcome, {});
  json.end_object();
  exchange->reply(result, tool_result_meta(ended.outcome));
}

// A client that declares elicitation without naming its forms has the form alone.
bool shows_form(const ClientFacts& client) {
  return client.declares("elicitation", "form") || !client.declares("elicitation", "url");
}

}  // namespace

InputCalls::InputCalls(core::Scheduler& scheduler, LastingCalls& calls, core::Entropy& entropy,
                       const RequestState& state, InputShape shape, std::string sender,
                       std::string page)
    : scheduler_(scheduler),
      calls_(calls),
      entropy_(entropy),
      state_(state),
      shape_(shape),
      sender_(std::move(sender)),
      page_(std::move(page)) {}

bool InputCalls::wants(const Exchange& exchange) const {
  const ClientFacts& client = exchange.client();
  return client.modern() && (shows(client) || shape_.slice > core::Millis(0));
}

bool InputCalls::shows(const ClientFacts& client) const {
  return shape_.forms && client.declares("elicitation") && (shows_form(client) || !page_.empty());
}

// Answers with the form, or holds the call for a slice of time.
void InputCalls::resume_asking(const ExchangePtr& exchange, const LastingQuestion& question,
                               Leaving leaving) {
  if (shows(exchange->client())) return ask(exchange, question);
  hold_slice(exchange, question, leaving);
}

void InputCalls::withdraw(const std::string& key, std::string_view reason) {
  calls_.withdraw(key, std::string(reason), [](const core::Result<LastingQuestion>&) {});
}

void InputCalls::start(const ExchangePtr& exchange, ToolArguments arguments) {
  auto responses = input_responses_of(*exchange);
  if (!responses) return exchange->fail(responses.error());
  if (const value* given = exchange->params().if_contains("requestState"); given != nullptr) {
    const std::string sealed =
        given->is_string() ? std::string(given->get_string()) : std::string();
    const auto key = state_.open(sealed, binding_of(sender_, *exchange), scheduler_.clock().wall());
    if (!key) return exchange->fail(key.error());
    return resume(exchange, *key, *responses);
  }
  arguments.call.client_name = exchange->client().name;
  const std::string key = "input-" + core::random_hex(entropy_, kInputIdBytes);
  exchange->on_cancel([this, key](std::string_view reason) { withdraw(key, reason); });
  calls_.open(std::move(arguments.call), key,
              [this, exchange](const core::Result<LastingQuestion>& opened) {
                if (!opened) return exchange->reply(tool_error(opened.error().message));
                resume_asking(exchange, *opened, Leaving::withdraws);
              });
}

void InputCalls::ask(const ExchangePtr& exchange, const LastingQuestion& question) {
  std::string result;
  core::JsonWriter json(result);
  json.begin_object().key("inputRequests").begin_object().key(kFormKey).begin_object();
  json.key("method").string("elicitation/create").key("params");
  json.raw(shows_form(exchange->client()) ? form_of(question.call)
                                          : link_form_of(page_ + question.key, {}));
  json.end_object().end_object();
  json.key("requestState").string(state_of(*exchange, question)).end_object();
  exchange->reply(result, {}, "input_required");
}

void InputCalls::resume(const ExchangePtr& exchange, const std::string& key,
                        const object& responses) {
  const value* given = responses.if_contains(kFormKey);
  calls_.find(key, [this, exchange, response = given == nullptr ? object() : given->get_object()](
                       const core::Result<LastingQuestion>& found) {
    if (!found) {
      return exchange->fail(kInvalidParams, "requestState: its question is no longer kept");
    }
    if (!found->pending) return reply_outcome(exchange, *found);
    if (response.empty()) return resume_asking(exchange, *found, Leaving::keeps);
    on_response(exchange, *found, response);
  });
}

void InputCalls::on_response(const ExchangePtr& exchange, const LastingQuestion& question,
                             const object& response) {
  const std::string action = core::string_member(response, "action");
  const value* content = response.if_contains("content");
  if (action == "accept" && content != nullptr && content->is_object()) {
    const auto text = text_of_form(question.call, content->get_object());
    if (!text) return ask(exchange, question);
    return calls_.answer(question.key, *text, std::string(kFormWindow),
                         [exchange](const core::Result<LastingQuestion>& ended) {
                           if (!ended) return exchange->fail(ended.error());
                           reply_outcome(exchange, *ended);
                         });
  }
  const bool by_itself = scheduler_.clock().wall() - question.asked_at < kFastestPerson;
  if (action == "accept" || by_itself) {
    hold(exchange, question.key, Leaving::keeps);
    return;
  }
  if (action != "decline" && action != "cancel") return ask(exchange, question);
  calls_.withdraw(question.key, "The person declined to answer in the agent's window.",
                  [exchange](const core::Result<LastingQuestion>& ended) {
                    if (!ended) return exchange->fail(ended.error());
                    reply_outcome(exchange, *ended);
                  });
}

std::string InputCalls::state_of(const Exchange& exchange, const LastingQuestion& question) const {
  const auto until = question.asked_at + question.call.timeout + TaskCalls::kKept;
  return state_.seal(question.key, binding_of(sender_, exchange), until);
}

// Waits for an answer from the inbox, at most for a slice.
void InputCalls::hold_slice(const ExchangePtr& exchange, const LastingQuestion& question,
                            Leaving leaving) {
  std::string again;
  core::JsonWriter json(again);
  json.begin_object().key("requestState").string(state_of(*exchange, question)).end_object();
  // The end of a slice ends the wait too: a question may see thousands of slices.
  scheduler_.after(shape_.slice, [weak = std::weak_ptr(exchange), again,
                                  wait = hold(exchange, question.key, leaving)] {
    const ExchangePtr waiting = weak.lock();
    wait->reset();
    if (waiting) waiting->reply(again, {}, "input_required");
  });
}

// Waits for an answer from the inbox. A reset of the result ends the wait.
InputCalls::Wait InputCalls::hold(const ExchangePtr& exchange, const std::string& key,
                                  Leaving leaving) {
  auto wait = std::make_shared<std::shared_ptr<void>>();
  exchange->on_cancel([this, wait, key, leaving](std::string_view reason) {
    wait->reset();
    if (leaving == Leaving::withdraws) withdraw(key, reason);
  });
  *wait = calls_.await(key, [exchange](const core::Result<LastingQuestion>& ended) {
    if (!ended) return exchange->reply(tool_error(ended.error().message));
    reply_outcome(exchange, *ended);
  });
  return wait;
}

}  // namespace parley::mcp
