// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "session/interaction.h"

namespace parley::notify {

enum class Language : std::uint8_t { english, chinese };

// An answer that one button gives.
struct QuickAnswer {
  std::string label;
  std::string text;  // the answer that the agent receives
};

// The answers of a question that one button can give, in its order: the choices of a single
// question, Allow and Deny, the confirmation of a finished task. Empty: there is none.
std::vector<QuickAnswer> quick_answers(const session::Interaction& interaction, Language language);

// True if one line of text, or one choice, is a whole answer.
bool has_one_answer(const session::Prompt& prompt);
// True if the person may write the answer; implies has_one_answer().
bool takes_text(const session::Interaction& interaction);

session::Answer text_answer(std::string text);

// The question as lines of plain text, hidden characters made visible, at most `limit` bytes.
std::string question_text(const session::Prompt& prompt, std::size_t limit);
// The last part of a directory, with "/" or "\" between the parts.
std::string_view project_name(std::string_view directory);
// "Question from reviewer (web-shop)".
std::string notice_title(const session::Interaction& interaction, Language language);

}  // namespace parley::notify
