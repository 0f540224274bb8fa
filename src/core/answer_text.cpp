// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "core/answer_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/ascii.h"

namespace parley::core {
namespace {

constexpr std::string_view kQuestion = "Q: ";
constexpr std::string_view kAnswer = "\nA: ";
constexpr std::string_view kRecommended = " (Recommended)";
constexpr std::array<std::string_view, 9> kConsent = {"yes",      "y",  "ok",   "allow", "approve",
                                                      "approved", "go", "sure", "okay"};

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
    const std::size_t end = is_last ? text.size() : text.find("\n" + marks[i + 1]);
    if (end == std::string_view::npos) return std::nullopt;
    answers.emplace_back(trimmed(text.substr(0, end)));
    text.remove_prefix(is_last ? end : end + 1);
    for (const std::string& mark : marks) {
      if (answers.back().find("\n" + mark) != std::string::npos) return std::nullopt;
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
                                            std::string_view said) {
  if (said.empty()) return std::nullopt;
  std::optional<std::string_view> found;
  for (const std::string_view label : labels) {
    if (label == said) return label;
    if (plain_label(label) != said) continue;
    if (found) return std::nullopt;
    found = label;
  }
  return found;
}

bool is_bare_consent(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) letters.push_back(c);
  }
  return std::find(kConsent.begin(), kConsent.end(), lowered(letters)) != kConsent.end();
}

}  // namespace parley::core
