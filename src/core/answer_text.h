// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Answers of people as clients of the Agent Assistant protocol send them: a flat text. Clients with
// a form for questions write a pair of lines for each, also for a single one:
//
//   Q: TITLE
//   A: label, label, own words
//
// TITLE is the header of the question, or its text if it has none. Some clients leave the mark
// " (Recommended)" out of labels. The readers below serve hooks, approvals and `parley ask`.
namespace parley::core {

// The title that clients put behind "Q: ".
std::string_view answer_title(std::string_view header, std::string_view text);

// The answers behind the titles, trimmed; each pair must be there, once and in order.
// std::nullopt: the text is not of this form.
std::optional<std::vector<std::string>> answers_in_lines(
    const std::vector<std::string_view>& titles, std::string_view text);

// The answer of a text with one pair of lines, whose title is not known. A text without a pair, or
// with a second line "A: ", is returned whole: a title from outside could hold such a line.
std::string_view answer_in_line(std::string_view text);

// The label without the mark " (Recommended)" at its end.
std::string_view plain_label(std::string_view label);

// The label that `said` names: an equal one, else the only one that is equal without the mark.
// std::nullopt: none.
std::optional<std::string_view> label_named(const std::vector<std::string_view>& labels,
                                            std::string_view said);

// True for consent without any choice: "yes", "ok", "Sure!". It does not tell what it consents to.
bool is_bare_consent(std::string_view text);

}  // namespace parley::core
