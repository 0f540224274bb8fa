// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/answers.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/core/ascii.h"
#include "base/core/danger_mark.h"
#include "base/core/find_part.h"
#include "base/core/utf8.h"
#include "base/core/visible_text.h"
#include "model/session/approval.h"
#include "model/session/choice_role.h"
#include "model/session/notice_key.h"
#include "services/notify/notice.h"

namespace parley::notify {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The marks that open a fence; empty: the line opens none.
std::string_view fence_of(std::string_view line) {
  constexpr std::size_t kLeastMarks = 3;
  const std::size_t end = std::min(line.find_first_not_of('`'), line.size());
  const bool opens = end >= kLeastMarks && line.find('`', end) == std::string_view::npos;
  return opens ? line.substr(0, end) : std::string_view();
}

}  // namespace

std::string compact_text(std::string_view markdown) {
  const std::vector<std::string_view> lines = lines_of(markdown);
  std::string out;
  const auto add = [&out](std::string_view line) {
    out.append(out.empty() ? "" : "\n").append(line);
  };
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    const std::string_view fence = fence_of(*line);
    if (fence.empty()) {
      if (!core::trimmed(*line).empty()) add(*line);
      continue;
    }
    const auto close = std::find(line + 1, lines.end(), fence);
    const bool is_one_line = close != lines.end() && close - line == 2 && !line[1].empty();
    if (is_one_line) {
      const bool has_mark = line[1].find('`') != std::string_view::npos;
      const std::string mark = has_mark ? std::string(fence) + " " : "`";
      add(mark + std::string(line[1]) + (has_mark ? " " + std::string(fence) : "`"));
    } else {
      std::for_each(line, close, add);
      if (close != lines.end()) add(fence);
    }
    if (close == lines.end()) break;
    line = close;
  }
  return out;
}

namespace {

using session::InteractionKind;

constexpr std::size_t kMaxCompacted = 64U << 10U;  // a longer text is cut anyway

QuestionText cut(std::string text, std::size_t limit) {
  if (text.size() <= limit) return {std::move(text), true};
  constexpr std::string_view kMore = "…";
  return {std::string(core::utf8_truncate(text, limit - kMore.size())) + std::string(kMore), false};
}

QuestionText shown_text(const std::string& text, std::size_t limit) {
  // Cut before as well: the text may have megabytes.
  const std::string_view front = core::utf8_truncate(text, limit * 2);
  QuestionText shown = cut(core::visible_text(front), limit);
  shown.complete = shown.complete && front.size() == text.size();
  return shown;
}

std::string asked_text(const session::Prompt& prompt) {
  std::string text = prompt.text;
  for (const session::Question& question : prompt.questions) {
    if (core::has_part(prompt.text, question.text)) continue;
    if (!text.empty()) text += "\n";
    text += question.text;
  }
  return text;
}

std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

// True if the text has more than kMaxSeenBlanks blanks in a row, or kMaxSeenLines lines.
bool has_gap(std::string_view text) {
  std::size_t blanks = 0;
  std::size_t lines = 1;
  for (const char c : text) {
    blanks = core::kBlanks.find(c) == std::string_view::npos ? 0 : blanks + 1;
    if (c == '\n') ++lines;
    if (blanks > kMaxSeenBlanks || lines > kMaxSeenLines) return true;
  }
  return false;
}

bool is_part(const session::Decision& decision, std::string_view label) {
  return (decision.allow != nullptr && decision.allow->label == label) ||
         decision.refuse->label == label;
}

// True if this choice of a permission prompt is a refusal, or decides nothing.
bool allows_nothing(std::string_view label) {
  const session::ChoiceRole role = session::role_of(label);
  return role == session::ChoiceRole::refuse || role == session::ChoiceRole::elsewhere;
}

bool is_dangerous(const session::Prompt& prompt) {
  return core::has_danger_mark(prompt.text) ||
         std::any_of(prompt.questions.begin(), prompt.questions.end(),
                     [](const session::Question& one) { return core::has_danger_mark(one.text); });
}

}  // namespace

std::string_view notice_kind_name(NoticeKind kind) {
  switch (kind) {
    case NoticeKind::question:
      return "question";
    case NoticeKind::task_finish:
      return "task_finish";
    case NoticeKind::test:
      break;
  }
  return "test";
}

std::string numbered_label(const session::Question& question, std::size_t choice) {
  const std::string& label = question.choices[choice].label;
  const auto same = std::count_if(question.choices.begin(), question.choices.end(),
                                  [&label](const auto& one) { return one.label == label; });
  return same == 1 ? label : label + " (" + std::to_string(choice + 1) + ")";
}

bool has_one_answer(const session::Prompt& prompt) {
  return prompt.questions.empty() ||
         (prompt.questions.size() == 1 && !prompt.questions.front().multiple);
}

bool takes_text(const session::Interaction& interaction) {
  const session::Prompt& prompt = interaction.prompt;
  if (!has_one_answer(prompt)) return false;
  return prompt.questions.empty() || prompt.questions.front().custom ||
         prompt.questions.front().choices.empty();
}

std::vector<QuickAnswer> quick_answers(const session::Interaction& interaction, Language language) {
  const bool chinese = language == Language::chinese;
  if (session::parse_notice_key(interaction.key)) {
    return {{chinese ? "知道了" : "OK", chinese ? "已阅" : "Seen.", true}};
  }
  if (interaction.kind == InteractionKind::task_finish) {
    if (chinese) return {{"确认完成", "任务已确认", true}};
    return {{"Confirm", "Task confirmed as finished.", true}};
  }
  if (interaction.kind == InteractionKind::tool_approval) {
    return {{chinese ? "允许" : "Allow", std::string(session::kAllow)},
            {chinese ? "拒绝" : "Deny", std::string(session::kDeny), true}};
  }
  if (!has_one_answer(interaction.prompt)) return {};
  const bool is_decision = session::decision_of(interaction.prompt).has_value();
  std::vector<QuickAnswer> answers;
  for (const session::Question& question : interaction.prompt.questions) {
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
      const bool safe = is_decision && allows_nothing(question.choices[i].label);
      std::string label = numbered_label(question, i);
      answers.push_back({core::visible_line(label), std::move(label), safe});
    }
  }
  return answers;
}

std::vector<QuickAnswer> button_answers(const session::Interaction& interaction,
                                        Language language) {
  std::vector<QuickAnswer> answers = quick_answers(interaction, language);
  if (interaction.kind != InteractionKind::question) return answers;
  if (const auto decision = session::decision_of(interaction.prompt)) {
    std::erase_if(answers, [&](const QuickAnswer& one) { return !is_part(*decision, one.text); });
  }
  return answers;
}

QuestionText question_text(const session::Prompt& prompt, std::size_t limit) {
  return shown_text(asked_text(prompt), limit);
}

QuestionText notice_text(const session::Prompt& prompt, std::size_t limit) {
  std::string text = asked_text(prompt);
  if (text.size() <= kMaxCompacted) text = compact_text(text);
  const auto decision = session::decision_of(prompt);
  for (const session::Question& question : prompt.questions) {
    for (const session::Choice& choice : question.choices) {
      if (choice.description.empty() || (decision && !is_part(*decision, choice.label))) continue;
      text.append("\n").append(choice.label).append(": ").append(choice.description);
    }
  }
  return shown_text(text, limit);
}

bool is_seen_at_once(const session::Interaction& interaction, Language language) {
  const QuestionText title = notice_title(interaction, language);
  const QuestionText body = notice_text(interaction.prompt, kMaxBodyBytes);
  return title.complete && body.complete && characters_of(title.text) <= kMaxSeenTitle &&
         characters_of(body.text) <= kMaxSeenBody && !has_gap(title.text) && !has_gap(body.text);
}

bool is_button(const session::Interaction& interaction, const QuickAnswer& answer,
               Language language) {
  return answer.text.size() <= kMaxLinkAnswerBytes &&
         characters_of(answer.label) <= kMaxSeenLabel &&
         (answer.safe ||
          (is_seen_at_once(interaction, language) && !is_dangerous(interaction.prompt)));
}

bool is_safe_answer(const session::Interaction& interaction, const std::string& text) {
  if (interaction.kind == InteractionKind::tool_approval) {
    return !session::approval_verdict(core::text_answer(text)).allow;
  }
  const std::vector<QuickAnswer> answers = quick_answers(interaction, Language::english);
  return std::all_of(answers.begin(), answers.end(),
                     [&text](const QuickAnswer& one) { return one.safe || one.text != text; });
}

std::string_view project_name(std::string_view directory) {
  while (directory.size() > 1 && (directory.back() == '/' || directory.back() == '\\')) {
    directory.remove_suffix(1);
  }
  const std::size_t slash = directory.find_last_of("/\\");
  return slash == std::string_view::npos ? directory : directory.substr(slash + 1);
}

QuestionText notice_title(const session::Interaction& interaction, Language language) {
  const session::Prompt& prompt = interaction.prompt;
  const bool chinese = language == Language::chinese;
  std::string agent = prompt.agent_name.empty() ? prompt.client_name : prompt.agent_name;
  if (agent.empty()) agent = chinese ? "智能体" : "an agent";
  std::string title;
  if (session::parse_notice_key(interaction.key)) {
    const std::string_view first(prompt.text);
    return cut(core::visible_line(agent + ": " + std::string(first.substr(0, first.find('\n')))),
               kMaxTitleBytes);
  }
  switch (interaction.kind) {
    case InteractionKind::task_finish:
      title = chinese ? agent + " 已完成任务" : "Task finished by " + agent;
      break;
    case InteractionKind::tool_approval:
      title = chinese ? agent + " 请求批准" : "Approval asked by " + agent;
      break;
    default:
      title = chinese ? agent + " 有问题" : "Question from " + agent;
      break;
  }
  if (const std::string project(project_name(prompt.project_directory)); !project.empty()) {
    title += chinese ? "（" + project + "）" : " (" + project + ")";
  }
  return cut(core::visible_line(title), kMaxTitleBytes);
}

}  // namespace parley::notify
