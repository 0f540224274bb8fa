// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/approval.h"

#include <utility>

#include "base/core/answer_text.h"

namespace parley::session {
namespace {

constexpr std::string_view kHeader = "Approval";
constexpr std::string_view kRunScope = "run";

std::string words_of(const Answer& answer) {
  std::string out;
  for (const Content& content : answer.contents) {
    if (content.type != Content::Type::text || content.text.empty()) continue;
    if (!out.empty()) out += '\n';
    out += content.text;
  }
  return out;
}

}  // namespace

bool is_loose_consent(const Answer& answer) {
  if (answer.is_error || answer.meta.contains("allow")) return false;
  const std::string words = words_of(answer);
  std::string_view line = core::without_marks(core::answer_in_line(words));
  return !core::take_word(line, kAllow) && core::is_consent(line);
}

Prompt shown_approval(Prompt prompt) {
  if (prompt.questions.empty()) {
    Question question;
    question.header = kHeader;
    question.choices = {{std::string(kAllow), "The call is executed once."},
                        {std::string(kDeny), "The agent is told, and continues without the call."}};
    question.custom = true;
    prompt.questions.push_back(std::move(question));
  }
  if (prompt.questions.size() == 1 && !prompt.text.empty()) prompt.questions[0].text = prompt.text;
  return prompt;
}

Answer approval_answer(const ApprovalVerdict& verdict) {
  Answer answer;
  answer.meta.emplace("allow", verdict.allow ? "true" : "false");
  if (!verdict.reason.empty()) answer.meta.emplace("reason", verdict.reason);
  if (verdict.allow && verdict.for_run) answer.meta.emplace("scope", kRunScope);
  std::string text(verdict.allow ? kAllow : kDeny);
  if (!verdict.allow && !verdict.reason.empty()) text += ": " + verdict.reason;
  answer.contents.push_back(core::text_content(std::move(text)));
  return answer;
}

ApprovalVerdict approval_verdict(const Answer& answer) {
  ApprovalVerdict verdict;
  if (const auto allow = answer.meta.find("allow"); allow != answer.meta.end()) {
    verdict.allow = allow->second == "true" && !answer.is_error;
    const auto reason = answer.meta.find("reason");
    if (reason != answer.meta.end()) verdict.reason = reason->second;
    const auto scope = answer.meta.find("scope");
    verdict.for_run = verdict.allow && scope != answer.meta.end() && scope->second == kRunScope;
    return verdict;
  }
  const std::string words = words_of(answer);
  std::string_view line = core::without_marks(core::answer_in_line(words));
  verdict.allow = !answer.is_error && core::take_word(line, kAllow);
  if (!verdict.allow) core::take_word(line, kDeny);
  verdict.reason = std::string(line);
  return verdict;
}

}  // namespace parley::session
