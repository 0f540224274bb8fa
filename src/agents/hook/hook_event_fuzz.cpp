// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as an event: read, shown and answered. Only an exact choice may allow, and an agent
// that a hook can only watch gets no decision.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agents/hook/hook_event.h"
#include "agents/hook/hook_output.h"
#include "agents/hook/hook_question.h"
#include "agents/hook/hook_reply.h"
#include "agents/hook/request_text.h"
#include "base/core/ascii.h"

namespace {

using parley::hook::Act;

void check(const parley::hook::HookEvent& event, std::string_view reply_text) {
  const parley::mcp::AssistantReply reply = parley::core::text_answer(std::string(reply_text));
  if (event.kind == parley::hook::HookKind::questions) {
    const auto questions = parley::hook::own_questions(event);
    const auto answers =
        questions.empty() ? std::nullopt : parley::hook::answers_of(questions, reply);
    if (answers) (void)parley::hook::output_of(event, *answers);
    return;
  }
  const parley::hook::HookQuestion question = parley::hook::question_of(event);
  const parley::hook::Decision decision = parley::hook::decision_of(question, reply, false);
  const std::string line = parley::hook::output_of(event, decision, "command");
  using parley::hook::Agent;
  const bool is_watched =
      event.agent == Agent::gemini || event.agent == Agent::goose || event.agent == Agent::cline;
  if (is_watched && !line.empty()) std::abort();
  const bool allows =
      decision.act != Act::deny && decision.act != Act::deny_stop && decision.act != Act::silent;
  const std::string text = parley::hook::reply_text(reply);
  bool chosen = false;
  const std::size_t pair = text.rfind("\nA: ");
  const std::string_view answer =
      pair == std::string::npos ? text : std::string_view(text).substr(pair + 4);
  for (const auto& choice : question.choices) {
    chosen = chosen || choice.label == parley::core::trimmed(answer);
  }
  if (allows && !chosen) std::abort();
  using parley::hook::HookKind;
  const bool is_dialog = event.kind == HookKind::plan || event.kind == HookKind::dialog;
  if (allows && is_dialog && !facts_of(event.agent).answers_dialogs) std::abort();
  if (allows && event.kind == HookKind::plan && !is_plan_shown(event)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view reply = bytes.substr(0, bytes.find('{'));
  const std::string_view input = bytes.substr(reply.size());
  for (std::size_t i = 0; i < parley::hook::kAgents.size(); ++i) {
    const auto agent = static_cast<parley::hook::Agent>(i);
    const auto event = parley::hook::read_event(agent, parley::hook::Questions::on, input);
    if (event) check(*event, reply);
  }
  return 0;
}
