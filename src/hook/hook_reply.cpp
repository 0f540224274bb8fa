// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "hook/hook_reply.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/system/error_code.hpp>
#include <cctype>

namespace parley::hook {
namespace {

namespace json = boost::json;

constexpr int kTextContent = 1;  // McpResultContent.type
constexpr std::string_view kJoint = ", ";
constexpr std::array<std::string_view, 9> kConsent = {"yes",      "y",  "ok",   "allow", "approve",
                                                      "approved", "go", "sure", "okay"};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

bool is_bare_consent(std::string_view text) {
  std::string lower;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalpha(byte) != 0) lower.push_back(static_cast<char>(std::tolower(byte)));
  }
  return std::find(kConsent.begin(), kConsent.end(), lower) != kConsent.end();
}

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
    replies[i].text = trimmed(std::string_view(texts->at(i).get_string()));
  }
  return replies;
}

const HookChoice* choice_named(const HookQuestion& question, std::string_view label) {
  for (const HookChoice& choice : question.choices) {
    if (choice.label == label) return &choice;
  }
  return nullptr;
}

// A text that is one label, or a label with more text behind it.
QuestionReply taken_apart(const HookQuestion& question, std::string_view text) {
  if (choice_named(question, text) != nullptr) return {{std::string(text)}, {}};
  for (const HookChoice& choice : question.choices) {
    const std::string front = choice.label + std::string(kJoint);
    if (text.starts_with(front)) {
      return {{choice.label}, std::string(trimmed(text.substr(front.size())))};
    }
  }
  return {{}, std::string(text)};
}

// The text behind "Q: header\nA: " of each question, which must all be there, once and in order.
std::optional<std::vector<std::string>> split_pairs(
    const std::vector<agentassistproto::Question>& questions, std::string_view text) {
  std::vector<std::string> answers;
  std::vector<std::string> marks;
  marks.reserve(questions.size());
  for (const auto& question : questions) marks.push_back("Q: " + question.header() + "\nA: ");
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (!text.starts_with(marks[i])) return std::nullopt;
    text.remove_prefix(marks[i].size());
    std::size_t end = text.size();
    if (i + 1 < marks.size()) {
      end = text.find("\n" + marks[i + 1]);
      if (end == std::string_view::npos) return std::nullopt;
    }
    answers.emplace_back(trimmed(text.substr(0, end)));
    text.remove_prefix(i + 1 < marks.size() ? end + 1 : end);
    for (const std::string& mark : marks) {
      if (answers.back().find("\n" + mark) != std::string::npos) return std::nullopt;
    }
  }
  return answers;
}

// Known labels in front of the text, in any order; the rest is free text.
QuestionReply labels_first(const agentassistproto::Question& question, std::string_view text) {
  QuestionReply reply;
  bool found = true;
  while (found && !text.empty()) {
    found = false;
    for (const auto& option : question.options()) {
      const std::string& label = option.label();
      const bool is_all = text == label;
      if (label.empty() || (!is_all && !text.starts_with(label + std::string(kJoint)))) continue;
      reply.labels.push_back(label);
      text.remove_prefix(is_all ? label.size() : label.size() + kJoint.size());
      found = true;
      break;
    }
  }
  reply.text = text;
  return reply;
}

}  // namespace

std::string reply_text(const mcp::AssistantReply& reply) {
  std::string text;
  for (const auto& content : reply.contents) {
    if (content.type() != kTextContent) continue;
    if (!text.empty()) text.push_back('\n');
    text += content.text().text();
  }
  return std::string(trimmed(text));
}

Decision decision_of(const HookQuestion& question, const mcp::AssistantReply& reply, bool again) {
  if (reply.is_error) return {};
  const auto named = named_replies(reply, 1);
  const QuestionReply given = named ? named->front() : taken_apart(question, reply_text(reply));
  if (given.labels.empty()) {
    if (given.text.empty() || again) return {};
    if (is_bare_consent(given.text)) return {Act::silent, 0, {}, true};
    return {Act::deny, 0, given.text, false};
  }
  const HookChoice* choice = choice_named(question, given.labels.front());
  if (choice == nullptr || given.labels.size() > 1) return {};
  if (given.text.empty()) return {choice->act, choice->rule, {}, false};
  if (again) return {};
  if (choice->act == Act::deny || choice->act == Act::deny_stop) {
    return {choice->act, 0, given.text, false};
  }
  return {Act::silent, 0, {}, true};
}

std::optional<std::vector<QuestionReply>> answers_of(
    const std::vector<agentassistproto::Question>& questions, const mcp::AssistantReply& reply) {
  if (reply.is_error) return std::nullopt;
  auto replies = named_replies(reply, questions.size());
  if (!replies) {
    std::vector<std::string> texts{reply_text(reply)};
    if (questions.size() > 1) {
      auto pairs = split_pairs(questions, texts.front());
      if (!pairs) return std::nullopt;
      texts = std::move(*pairs);
    }
    replies.emplace();
    for (std::size_t i = 0; i < questions.size(); ++i) {
      replies->push_back(labels_first(questions[i], texts[i]));
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
