// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/assistant/question_words.h"

#include <algorithm>
#include <string_view>

#include "base/core/find_part.h"

namespace parley::assistant {
namespace {

using session::Choice;
using session::Question;

// Pages show the text as it is, or as Markdown: both show these lines as a list.
void add_choices(std::string& out, const Question& question) {
  for (const Choice& choice : question.choices) {
    out.append("\n- ").append(choice.label);
    if (!choice.description.empty()) out.append(": ").append(choice.description);
  }
}

std::string_view how_to_answer(const Question& question) {
  if (question.multiple) {
    return question.custom
               ? "Answer with one or more of these, separated by commas, or in your own words:"
               : "Answer with one or more of these, separated by commas:";
  }
  return question.custom ? "Answer with one of these words, or in your own:"
                         : "Answer with one of these words:";
}

std::string single_question(const session::Prompt& prompt, const Question& question) {
  std::string out = prompt.text;
  if (!core::has_part(out, question.text)) {
    out.append(out.empty() ? "" : "\n\n").append(question.text);
  }
  if (question.choices.empty()) return out;
  out.append("\n\n").append(how_to_answer(question)).append("\n");
  add_choices(out, question);
  return out;
}

std::string several_questions(const session::Prompt& prompt) {
  std::string out = prompt.text;
  std::string form;
  for (std::size_t i = 0; i < prompt.questions.size(); ++i) {
    const Question& question = prompt.questions[i];
    const std::string& name = question.header.empty() ? question.text : question.header;
    out.append("\n\n").append(std::to_string(i + 1)).append(". ").append(question.header);
    if (!question.header.empty() && !question.text.empty()) out.append(": ");
    out.append(question.text);
    if (!question.choices.empty()) out.append("\n");
    add_choices(out, question);
    form.append("\nQ: ").append(name).append("\nA: ...");
  }
  out.append("\n\nAnswer all ").append(std::to_string(prompt.questions.size()));
  return out.append(" of them in this form:\n\n```").append(form).append("\n```");
}

}  // namespace

std::string question_in_words(const session::Prompt& prompt) {
  if (prompt.questions.empty()) return prompt.text;
  if (prompt.questions.size() > 1) return several_questions(prompt);
  return single_question(prompt, prompt.questions.front());
}

}  // namespace parley::assistant
