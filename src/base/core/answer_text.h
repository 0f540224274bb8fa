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
// " (Recommended)" out of labels. The functions below serve hooks, approvals and `parley ask`.
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

// The text without blanks at both ends and without the marks of a sentence in front.
std::string_view without_marks(std::string_view text);

// Removes `word` from the beginning of the text, in any case, and returns true; false if the text
// does not begin with it as a whole word.
bool take_word(std::string_view& text, std::string_view word);

// True for a text that begins with consent in words: "OK", "Continue", "yes, do it", from a button,
// say, of a page that shows no choices. It does not tell what it consents to, so it is taken as
// neither a choice nor a refusal: ask again.
bool is_consent(std::string_view text);

// The sentence in front of a question that is asked again after an answer that was none of its
// choices. It quotes the beginning of the answer and names the choices.
std::string asked_again_words(std::string_view answer,
                              const std::vector<std::string_view>& choices);
std::string asked_again_words_in_chinese(std::string_view answer,
                                         const std::vector<std::string_view>& choices);

}  // namespace parley::core
