// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/hook/hook_question.h"
#include "agents/mcp/assistant_call.h"

namespace parley::hook {

// The answer to one question: chosen labels, and what the person wrote.
struct QuestionReply {
  std::vector<std::string> labels;
  std::string text;
};

// A person's decision. Only an exact choice allows.
struct Decision {
  Act act = Act::silent;
  std::size_t rule = 0;
  std::string text;    // the reason of a denial; with `again` the unclear answer
  bool again = false;  // the answer is unclear: asked once more, with choices only
};

// The decision in a reply to question_of(). `again`: the second round, in which only a choice
// counts.
Decision decision_of(const HookQuestion& question, const mcp::AssistantReply& reply, bool again);

// The answers to the questions of the agent, in their order; std::nullopt if one is missing or the
// reply cannot be taken apart.
std::optional<std::vector<QuestionReply>> answers_of(const std::vector<core::Question>& questions,
                                                     const mcp::AssistantReply& reply);

// The words of one answer: its labels and its text, joined with ", ".
std::string words_of(const QuestionReply& reply);

// The text of a reply, trimmed; without attachments.
std::string reply_text(const mcp::AssistantReply& reply);

}  // namespace parley::hook
