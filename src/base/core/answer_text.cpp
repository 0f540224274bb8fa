// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/answer_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/core/ascii.h"
#include "base/core/find_part.h"
#include "base/core/utf8.h"
#include "base/core/visible_text.h"

namespace parley::core {
namespace {

constexpr std::string_view kQuestion = "Q: ";
constexpr std::string_view kAnswer = "\nA: ";
constexpr std::string_view kRecommended = " (Recommended)";
constexpr std::size_t kMaxQuotedBytes = 80;

// First words of a consent. Those of the second list are written without a blank behind them.
constexpr std::array<std::string_view, 21> kConsent = {
    "yes",     "y",        "yeah",     "yep",    "ok",      "okay",    "sure",
    "fine",    "go",       "continue", "allow",  "allowed", "accept",  "accepted",
    "approve", "approved", "agree",    "agreed", "proceed", "confirm", "confirmed"};
constexpr std::array<std::string_view, 9> kConsentInChinese = {
    "好", "可以", "同意", "继续", "确认", "允许", "批准", "行", "是"};

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

std::string mark_of(std::string_view title) {
  return std::string(kQuestion).append(title).append(kAnswer);
}

}  // namespace

std::string_view answer_title(std::string_view header, std::string_view text) {
  return header.empty() ? text : header;
}

std::optional<std::vector<std::string>> answers_in_lines(
    const std::vector<std::string_view>& titles, std::string_view whole) {
  // An empty last answer may have lost its blank.
  std::string padded(whole);
  if (whole.ends_with(trimmed(kAnswer, " "))) padded.push_back(' ');
  std::string_view text(padded);
  std::vector<std::string> marks;
  marks.reserve(titles.size());
  for (const std::string_view title : titles) marks.push_back(mark_of(title));
  std::vector<std::string> answers;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (!text.starts_with(marks[i])) return std::nullopt;
    text.remove_prefix(marks[i].size());
    const bool is_last = i + 1 == marks.size();
    const std::size_t end = is_last ? text.size() : find_part(text, "\n" + marks[i + 1]);
    if (end == std::string_view::npos) return std::nullopt;
    answers.emplace_back(trimmed(text.substr(0, end)));
    text.remove_prefix(is_last ? end : end + 1);
    for (const std::string& mark : marks) {
      if (has_part(answers.back(), "\n" + mark)) return std::nullopt;
    }
  }
  return answers;
}

std::string_view answer_in_line(std::string_view text) {
  if (!text.starts_with(kQuestion)) return text;
  const std::size_t at = text.find(kAnswer);
  if (at == std::string_view::npos || text.find(kAnswer, at + 1) != std::string_view::npos) {
    return text;
  }
  return text.substr(at + kAnswer.size());
}

std::string_view plain_label(std::string_view label) {
  if (label.ends_with(kRecommended)) label.remove_suffix(kRecommended.size());
  return label;
}

std::optional<std::string_view> label_named(const std::vector<std::string_view>& labels,
                                            std::string_view plain) {
  if (plain.empty()) return std::nullopt;
  std::optional<std::string_view> found;
  for (const std::string_view label : labels) {
    if (label == plain) return label;
    if (plain_label(label) != plain) continue;
    if (found) return std::nullopt;
    found = label;
  }
  return found;
}

std::string_view without_marks(std::string_view text) {
  constexpr std::string_view kMarks = " \t\r\n,:;.-";
  const std::size_t first = text.find_first_not_of(kMarks);
  return first == std::string_view::npos ? std::string_view() : trimmed(text.substr(first));
}

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

bool is_consent(std::string_view text) {
  const std::string_view plain = without_marks(text);
  return std::any_of(kConsent.begin(), kConsent.end(),
                     [plain](std::string_view word) {
                       std::string_view rest = plain;
                       return take_word(rest, word);
                     }) ||
         std::any_of(kConsentInChinese.begin(), kConsentInChinese.end(),
                     [plain](std::string_view word) { return plain.starts_with(word); });
}

std::string asked_again_words(std::string_view answer,
                              const std::vector<std::string_view>& choices) {
  std::string out = "\"" + visible_line(utf8_truncate(answer, kMaxQuotedBytes)) +
                    "\" is no decision: answer with ";
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) out += i + 1 == choices.size() ? " or " : ", ";
    out.append("\"").append(choices[i]).append("\"");
  }
  return out + ".";
}

std::string asked_again_words_in_chinese(std::string_view answer,
                                         const std::vector<std::string_view>& choices) {
  std::string out =
      "“" + visible_line(utf8_truncate(answer, kMaxQuotedBytes)) + "”不是决定，请选择：";
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) out += i + 1 == choices.size() ? "或" : "、";
    out.append("“").append(choices[i]).append("”");
  }
  return out + "。";
}

}  // namespace parley::core
