// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/asking_offer.h"

#include <optional>
#include <utility>

#include "agents/mcp/json_rpc.h"
#include "agents/mcp/mcp_revision.h"
#include "agents/mcp/prompt_catalog.h"
#include "agents/mcp/question_form.h"
#include "agents/mcp/tool_result.h"
#include "base/core/json_member.h"

namespace parley::mcp {
namespace {

using boost::json::object;
using boost::json::value;

constexpr std::string_view kInstructions =
    "These tools reach the person you work for. Use ask_question whenever you need a decision or a "
    "fact that only the person has, instead of guessing. Use task_finish (or work_report) before "
    "you end your work, and act on the feedback. Calls block until the person answers or the "
    "timeout passes; choose a generous timeout. Do nothing that depends on an answer before you "
    "have it.";

}  // namespace

struct AskingOffer::Call {
  ExchangePtr exchange;
  AssistantCall asked;  // if it is also asked in the agent's window
  std::string link;     // the id of the link that the window shows; empty: none
  std::vector<std::string> notes;
  core::Millis timeout{};
  core::MonoTime began;
  core::TimerId progress_timer = 0;
  CallId assistant_call = 0;
};

AskingOffer::AskingOffer(core::Scheduler& scheduler, AssistantCalls& assistant,
                         core::Entropy& entropy, AskingOptions options)
    : scheduler_(scheduler), assistant_(assistant), options_(std::move(options)) {
  LastingCalls* lasting = assistant.lasting();
  if (lasting == nullptr || options_.shape == AskShape::held) return;
  const bool elicit = options_.shape == AskShape::elicit;
  tasks_.emplace(*lasting, entropy, elicit);
  const InputShape input{elicit, options_.slice};
  if ((!elicit && input.slice == core::Millis(0)) || options_.state == nullptr) return;
  inputs_.emplace(scheduler, *lasting, entropy, *options_.state, input, options_.sender,
                  options_.page);
}

AskingOffer::~AskingOffer() {
  for (const auto& [key, call] : calls_) scheduler_.cancel(call->progress_timer);
}

void AskingOffer::write_capabilities(core::JsonWriter& json, std::string_view revision) const {
  json.key("tools").begin_object().end_object();
  json.key("prompts").begin_object().end_object();
  if (!tasks_) return;
  if (revision == kModernRevision) {
    json.key("extensions").begin_object().key(kTasksExtension).begin_object().end_object();
    json.end_object();
  } else if (revision == kLegacyRevisions.front()) {
    json.key("tasks").raw(R"({"list":{},"cancel":{},"requests":{"tools":{"call":{}}}})");
  }
}

std::string_view AskingOffer::instructions() const { return kInstructions; }

bool AskingOffer::handle(const ExchangePtr& exchange) {
  const std::string& method = exchange->method();
  if (method == "tools/call") return call_tool(exchange), true;
  if (method == "tools/list") return list_tools(exchange), true;
  if (method == "prompts/list") return list_prompts(exchange), true;
  if (method == "prompts/get") return get_prompt(exchange), true;
  return tasks_ && tasks_->handle(exchange);
}

void AskingOffer::watch(const Interests& interests, std::function<void(const Change&)> changed) {
  if (tasks_) tasks_->watch(interests.tasks, std::move(changed));
}

void AskingOffer::list_tools(const ExchangePtr& exchange) const {
  if (refuse_cursor(exchange)) return;
  std::string result;
  core::JsonWriter json(result);
  json.begin_object().key("tools");
  write_tools(json, options_.tools,
              tasks_ && exchange->client().revision == kLegacyRevisions.front());
  write_cache_hints(json, exchange->client());
  json.end_object();
  exchange->reply(result);
}

void AskingOffer::call_tool(const ExchangePtr& exchange) {
  const object& params = exchange->params();
  const std::string name = core::string_member(params, "name");
  if (name.empty()) {
    return exchange->fail(kInvalidParams, R"(tools/call: "name" must be a string)");
  }
  const std::optional<AssistantCall::Kind> tool = find_tool(name, options_.tools);
  if (!tool) return exchange->fail(kInvalidParams, "Unknown tool: " + name);
  const value* given = params.if_contains("arguments");
  if (given != nullptr && !given->is_object() && !given->is_null()) {
    return exchange->fail(kInvalidParams, R"(tools/call: "arguments" must be an object)");
  }
  core::Result<ToolArguments> arguments =
      read_arguments(*tool, given == nullptr ? value() : *given);
  if (!arguments) return exchange->reply(tool_error(arguments.error().message));
  if (tasks_ && TaskCalls::wants(*exchange)) return tasks_->start(exchange, *std::move(arguments));
  if (inputs_ && inputs_->wants(*exchange)) {
    return inputs_->start(exchange, *std::move(arguments));
  }
  if (calls_.size() >= kMaxCalls) {
    return exchange->reply(tool_error("Too many calls are waiting for an answer (" +
                                      std::to_string(kMaxCalls) +
                                      "). Wait for one of them to end."));
  }
  start_call(exchange, *std::move(arguments));
}

void AskingOffer::start_call(const ExchangePtr& exchange, ToolArguments arguments) {
  const std::string& key = exchange->key();
  auto call = std::make_unique<Call>();
  arguments.call.client_name = exchange->client().name;
  call->exchange = exchange;
  call->notes = std::move(arguments.notes);
  call->timeout = arguments.call.timeout;
  call->began = scheduler_.clock().mono();
  Call& stored = *(calls_[key] = std::move(call));
  if (exchange->wants_progress()) {
    stored.progress_timer = scheduler_.after(kProgressEvery, [this, key] { send_progress(key); });
  }
  exchange->on_cancel([this, key](std::string_view reason) {
    const auto found = calls_.extract(key);
    if (!found) return;
    scheduler_.cancel(found.mapped()->progress_timer);
    assistant_.cancel(found.mapped()->assistant_call, reason);
  });
  const ClientFacts& client = exchange->client();
  const bool in_window = options_.shape == AskShape::elicit && !client.modern() &&
                         client.declares("elicitation") &&
                         arguments.call.kind != AssistantCall::Kind::await_answer;
  if (in_window) stored.asked = arguments.call;
  stored.assistant_call =
      assistant_.start(std::move(arguments.call),
                       [this, key](const AssistantOutcome& outcome) { on_outcome(key, outcome); });
  if (in_window) ask_in_window(stored);
}

// Shows the question in the window of a client up to revision 2025-11-25. A client that declares
// links alone gets a link to the question's page.
void AskingOffer::ask_in_window(Call& call) {
  const ClientFacts& client = call.exchange->client();
  const std::string question = assistant_.key_of(call.assistant_call);
  std::string form = form_of(call.asked);
  if (client.declares("elicitation", "url") && !client.declares("elicitation", "form")) {
    if (question.empty() || options_.page.empty()) return;
    form = link_form_of(options_.page + question, question);
    call.link = question;
  }
  call.exchange->ask_client("elicitation/create", form,
                            [this, key = call.exchange->key()](const core::Result<object>& answer) {
                              on_window(key, answer);
                            });
}

// A window that cannot show the form, or declines without a person, leaves the inbox.
void AskingOffer::on_window(const std::string& key, const core::Result<object>& answer) {
  const auto found = calls_.find(key);
  if (found == calls_.end() || !answer) return;
  const Call& call = *found->second;
  const std::string action = core::string_member(*answer, "action");
  const value* content = answer->if_contains("content");
  if (action == "accept" && content != nullptr && content->is_object()) {
    const auto text = text_of_form(call.asked, content->get_object());
    if (!text) return;
    if (assistant_.answer_in_window(call.assistant_call, *text, call.exchange->client().name))
      return;
    return end(key, "It was answered in the agent's window.", core::text_answer(*text));
  }
  const auto waited = scheduler_.clock().mono() - call.began;
  if (action != "decline" && action != "cancel") return;
  if (waited < InputCalls::kFastestPerson) return;
  constexpr std::string_view kDeclined = "The person declined to answer in the agent's window.";
  end(key, kDeclined, core::fail(core::Code::cancelled, std::string(kDeclined)));
}

// Ends a call whose question the inbox need not answer any more.
void AskingOffer::end(const std::string& key, std::string_view reason,
                      const AssistantOutcome& outcome) {
  assistant_.cancel(calls_.at(key)->assistant_call, reason);
  on_outcome(key, outcome);
}

void AskingOffer::on_outcome(const std::string& key, const AssistantOutcome& outcome) {
  const auto found = calls_.extract(key);
  if (!found) return;
  const Call& call = *found.mapped();
  scheduler_.cancel(call.progress_timer);
  if (!call.link.empty() && call.exchange->client().revision == kLegacyRevisions.front()) {
    std::string params = R"({"elicitationId":)";
    core::JsonWriter(params).string(call.link);
    call.exchange->notify("notifications/elicitation/complete", params + "}");
  }
  std::string result;
  core::JsonWriter json(result);
  json.begin_object();
  write_tool_result(json, outcome, call.notes);
  json.end_object();
  call.exchange->reply(result, tool_result_meta(outcome));
}

void AskingOffer::send_progress(const std::string& key) {
  const auto found = calls_.find(key);
  if (found == calls_.end()) return;
  Call& call = *found->second;
  const auto waited =
      std::chrono::duration_cast<std::chrono::seconds>(scheduler_.clock().mono() - call.began);
  const auto total = std::chrono::ceil<std::chrono::seconds>(call.timeout);
  call.progress_timer = scheduler_.after(kProgressEvery, [this, key] { send_progress(key); });
  call.exchange->progress(waited.count(), total.count(), assistant_.status(call.assistant_call));
}

}  // namespace parley::mcp
