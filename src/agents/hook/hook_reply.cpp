// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/hook_reply.h"

#include <boost/json/parse.hpp>
#include <boost/system/error_code.hpp>

#include "base/core/answer_text.h"
#include "base/core/ascii.h"

namespace parley::hook {
namespace {

namespace json = boost::json;

constexpr std::string_view kJoint = ", ";

std::optional<json::array> array_in(const mcp::AssistantReply& reply, const std::string& name) {
  const auto found = reply.meta.find(name);
  if (found == reply.meta.end()) return std::nullopt;
  boost::system::error_code failed;
  const json::value value = json::parse(found->second, failed);
  if (failed.failed() || !value.is_array()) return std::nullopt;
  return value.get_array();
}

// The labels and texts that the console names (docs/protocol-assistant.md); std::nullopt: another
// client, or not of `count` questions.
std::optional<std::vector<QuestionReply>> named_replies(const mcp::AssistantReply& reply,
                                                        std::size_t count) {
  const auto choices = array_in(reply, "choices");
  const auto texts = array_in(reply, "texts");
  if (!choices || !texts || choices->size() != count || texts->size() != count) {
    return std::nullopt;
  }
  std::vector<QuestionReply> replies(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!choices->at(i).is_array() || !texts->at(i).is_string()) return std::nullopt;
    for (const json::value& label : choices->at(i).get_array()) {
      if (!label.is_string()) return std::nullopt;
      replies[i].labels.emplace_back(label.get_string());
    }
    replies[i].text = core::trimmed(std::string_view(texts->at(i).get_string()));
  }
  return replies;
}

const HookChoice* choice_named(const HookQuestion& question, std::string_view label) {
  for (const HookChoice& choice : question.choices) {
    if (choice.label == label) return &choice;
  }
  return nullptr;
}

// A text that is one label, or a label with more text behind it; bare, or behind the title of the
// question.
QuestionReply taken_apart(const HookQuestion& question, std::string_view text) {
  const auto lines =
      core::answers_in_lines({core::answer_title(question.header, question.text)}, text);
  if (lines) text = lines->front();
  if (choice_named(question, text) != nullptr) return {{std::string(text)}, {}};
  for (const HookChoice& choice : question.choices) {
    const std::string front = choice.label + std::string(kJoint);
    if (text.starts_with(front)) {
      return {{choice.label}, std::string(core::trimmed(text.substr(front.size())))};
    }
  }
  return {{}, std::string(text)};
}

// The label at the front of the text, and the number of bytes that it takes there. With `plain`, a
// label without its mark " (Recommended)".
struct FrontLabel {
  std::string_view label;
  std::size_t size = 0;
};

std::optional<FrontLabel> front_label(const core::Question& question, std::string_view text) {
  for (const bool plain : {false, true}) {
    for (const core::Choice& option : question.choices) {
      const std::string_view label(option.label);
      const std::string_view front = plain ? core::plain_label(label) : label;
      if (front.empty() || !text.starts_with(front)) continue;
      if (text.size() == front.size()) return FrontLabel{label, front.size()};
      if (text.substr(front.size()).starts_with(kJoint)) {
        return FrontLabel{label, front.size() + kJoint.size()};
      }
    }
  }
  return std::nullopt;
}

// Known labels in front of the text, in any order; the rest is free text.
QuestionReply labels_first(const core::Question& question, std::string_view text) {
  QuestionReply reply;
  while (const auto front = front_label(question, text)) {
    reply.labels.emplace_back(front->label);
    text.remove_prefix(front->size);
  }
  reply.text = text;
  return reply;
}

}  // namespace

std::string reply_text(const mcp::AssistantReply& reply) {
  std::string text;
  for (const core::Content& content : reply.contents) {
    if (content.type != core::Content::Type::text) continue;
    if (!text.empty()) text.push_back('\n');
    text += content.text;
  }
  return std::string(core::trimmed(text));
}

Decision decision_of(const HookQuestion& question, const mcp::AssistantReply& reply, bool again) {
  if (reply.is_error) return {};
  const auto named = named_replies(reply, 1);
  const QuestionReply given = named ? named->front() : taken_apart(question, reply_text(reply));
  if (given.labels.empty()) {
    if (given.text.empty() || again) return {};
    if (core::is_consent(given.text)) return {Act::silent, 0, given.text, true};
    return {Act::deny, 0, given.text, false};
  }
  const HookChoice* choice = choice_named(question, given.labels.front());
  if (choice == nullptr || given.labels.size() > 1) return {};
  if (given.text.empty()) return {choice->act, choice->rule, {}, false};
  if (again) return {};
  if (choice->act == Act::deny || choice->act == Act::deny_stop) {
    return {choice->act, 0, given.text, false};
  }
  return {Act::silent, 0, words_of(given), true};
}

std::optional<std::vector<QuestionReply>> answers_of(const std::vector<core::Question>& questions,
                                                     const mcp::AssistantReply& reply) {
  if (reply.is_error) return std::nullopt;
  auto replies = named_replies(reply, questions.size());
  if (!replies) {
    std::vector<std::string_view> titles;
    titles.reserve(questions.size());
    for (const auto& one : questions) {
      titles.push_back(core::answer_title(one.header, one.text));
    }
    const std::string text = reply_text(reply);
    auto texts = core::answers_in_lines(titles, text);
    if (!texts && questions.size() > 1) return std::nullopt;
    if (!texts) texts.emplace({text});
    replies.emplace();
    for (std::size_t i = 0; i < questions.size(); ++i) {
      replies->push_back(labels_first(questions[i], texts->at(i)));
    }
  }
  for (const QuestionReply& each : *replies) {
    if (each.labels.empty() && each.text.empty()) return std::nullopt;
  }
  return replies;
}

std::string words_of(const QuestionReply& reply) {
  std::string words;
  const auto add = [&words](std::string_view part) {
    if (part.empty()) return;
    if (!words.empty()) words += kJoint;
    words += part;
  };
  for (const std::string& label : reply.labels) add(label);
  add(reply.text);
  return words;
}

}  // namespace parley::hook
