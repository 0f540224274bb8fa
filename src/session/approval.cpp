// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "session/approval.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/answer_text.h"

namespace parley::session {
namespace {

constexpr std::string_view kHeader = "Approval";
constexpr std::string_view kRunScope = "run";

std::string_view without_marks(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n,:;.-";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// Removes `word` from the beginning of the text, in any case, and returns true; false if the text
// does not begin with it as a whole word.
bool take_word(std::string_view& text, std::string_view word) {
  if (text.size() < word.size()) return false;
  if (!std::equal(word.begin(), word.end(), text.begin(), same_letter)) return false;
  const std::string_view rest = text.substr(word.size());
  if (!rest.empty()) {
    const auto next = static_cast<unsigned char>(rest.front());
    if (std::isalnum(next) != 0 || next >= 0x80 || next == '_' || next == '\'') return false;
  }
  text = without_marks(rest);
  return true;
}

std::string words_of(const Answer& answer) {
  std::string out;
  for (const Content& content : answer.contents) {
    if (content.type != Content::Type::text || content.text.empty()) continue;
    if (!out.empty()) out += '\n';
    out += content.text;
  }
  return out;
}

// First words of a consent. Those of the second list are written without a blank behind them.
constexpr std::array<std::string_view, 19> kConsent = {
    "yes",      "y",        "yeah",   "yep",     "ok",       "okay",     "sure",
    "fine",     "continue", "go",     "proceed", "approve",  "approved", "accept",
    "accepted", "agree",    "agreed", "confirm", "confirmed"};
constexpr std::array<std::string_view, 9> kConsentInChinese = {
    "好", "可以", "同意", "继续", "确认", "允许", "批准", "行", "是"};

}  // namespace

bool is_loose_consent(const Answer& answer) {
  if (answer.is_error || answer.meta.contains("allow")) return false;
  const std::string words = words_of(answer);
  const std::string_view said = without_marks(core::answer_in_line(words));
  return std::any_of(kConsent.begin(), kConsent.end(),
                     [said](std::string_view word) {
                       std::string_view rest = said;
                       return take_word(rest, word);
                     }) ||
         std::any_of(kConsentInChinese.begin(), kConsentInChinese.end(),
                     [said](std::string_view word) { return said.starts_with(word); });
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
  Content content;
  content.text = verdict.allow ? kAllow : kDeny;
  if (!verdict.allow && !verdict.reason.empty()) content.text += ": " + verdict.reason;
  answer.contents.push_back(std::move(content));
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
  std::string_view said = without_marks(core::answer_in_line(words));
  verdict.allow = !answer.is_error && take_word(said, kAllow);
  if (!verdict.allow) take_word(said, kDeny);
  verdict.reason = std::string(said);
  return verdict;
}

}  // namespace parley::session
