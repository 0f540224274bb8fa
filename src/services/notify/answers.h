// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/session/interaction.h"

namespace parley::notify {

// Markdown on fewer lines, for a notice, which shows few and shows them as they are: a fence around
// one line becomes a code span with as many marks as needed, and blank lines outside of fences are
// left out. Nothing else changes: all words stay, and a line of a fence is never taken for text.
std::string compact_text(std::string_view markdown);

enum class Language : std::uint8_t { english, chinese };

// An answer that one button gives.
struct QuickAnswer {
  std::string label;
  std::string text;  // the answer that the agent receives
  // Allows nothing, whatever was asked: a refusal, or the confirmation of a message. Any other
  // answer may only be given by a person who was shown the whole question.
  bool safe = false;
};

// The answers of a question that one button can give, in its order: the choices of a single
// question, Allow and Deny, the confirmation of a finished task. Empty: there is none.
std::vector<QuickAnswer> quick_answers(const session::Interaction& interaction, Language language);
// Those that a notice offers as buttons: of a permission prompt the two that decide about what is
// shown, never one that allows more.
std::vector<QuickAnswer> button_answers(const session::Interaction& interaction, Language language);

// The label of a choice, with its number if another choice of the question has the same label, so
// that a person and the agent can tell them apart: "Yes (2)". The console has the same rule
// (web/src/inbox/answer_form.ts).
std::string numbered_label(const session::Question& question, std::size_t choice);
// True if one line of text, or one choice, is a whole answer.
bool has_one_answer(const session::Prompt& prompt);
// True if the person may write the answer; implies has_one_answer().
bool takes_text(const session::Interaction& interaction);

// Text of a question, and whether that is all of it.
struct QuestionText {
  std::string text;
  bool complete = true;
};

// The question as lines of plain text, hidden characters made visible, at most `limit` bytes.
QuestionText question_text(const session::Prompt& prompt, std::size_t limit);
// The same for a notice: with the descriptions of the choices that are buttons, which do not show
// them.
QuestionText notice_text(const session::Prompt& prompt, std::size_t limit);

// Longest question that the page of a link shows whole: more than one of `parley hook` or of a run
// has. The page takes only safe answers to a longer one.
// Limit (Notifications): question on the page of a link. Reached: cut; the page takes only
// refusals.
inline constexpr std::size_t kMaxPageQuestionBytes = (1U << 20U) + (64U << 10U);

// True if a person sees all of the question beside the buttons of a notice: its title and text are
// short, have few lines, and no blanks that push a part out of sight (limits:
// services/notify/notice.h).
bool is_seen_at_once(const session::Interaction& interaction, Language language);
// True if one button may give this answer: it is safe, or everything is seen at once and no danger
// is named, which is confirmed on a page.
bool is_button(const session::Interaction& interaction, const QuickAnswer& answer,
               Language language);
// True if this text is a safe answer: not one that allows a call, and not another choice.
bool is_safe_answer(const session::Interaction& interaction, const std::string& text);
// The last part of a directory, with "/" or "\" between the parts.
std::string_view project_name(std::string_view directory);
// "Question from reviewer (web-shop)", at most kMaxTitleBytes; `whole`: not cut.
QuestionText notice_title(const session::Interaction& interaction, Language language);

}  // namespace parley::notify
