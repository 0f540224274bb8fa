// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/question_form.h"

#include <vector>

#include "base/core/json_member.h"
#include "base/core/json_writer.h"

namespace parley::mcp {
namespace {

using boost::json::object;
using boost::json::value;
using core::Question;

constexpr std::string_view kAnswer = "answer";
constexpr std::string_view kOther = "other";

std::string name_of(const AssistantCall& call, std::size_t index) {
  return call.questions.size() == 1 ? std::string(kAnswer) : "q" + std::to_string(index + 1);
}
std::string other_name_of(const AssistantCall& call, std::size_t index) {
  return call.questions.size() == 1 ? std::string(kOther)
                                    : name_of(call, index) + "_" + std::string(kOther);
}

void write_choices(core::JsonWriter& json, const Question& question) {
  for (const core::Choice& option : question.choices) {
    const std::string title =
        option.description.empty() ? option.label : option.label + " – " + option.description;
    json.begin_object().key("const").string(option.label).key("title").string(title);
    json.end_object();
  }
}

void write_property(core::JsonWriter& json, const std::string& name, const Question& question) {
  json.key(name).begin_object();
  json.key("title").string(question.header.empty() ? question.text : question.header);
  json.key("description").string(question.text);
  if (question.choices.empty()) {
    json.key("type").string("string");
  } else if (question.multiple) {
    json.key("type").string("array").key("items").begin_object().key("anyOf").begin_array();
    write_choices(json, question);
    json.end_array().end_object();
  } else {
    json.key("type").string("string").key("oneOf").begin_array();
    write_choices(json, question);
    json.end_array();
  }
  json.end_object();
}

// True if a question can be left without a choice, because it takes a free answer too.
bool takes_other(const Question& question) { return !question.choices.empty() && question.custom; }

void append(std::string& text, std::string_view more) {
  if (more.empty()) return;
  if (!text.empty()) text += ", ";
  text += more;
}

core::Result<std::string> misfit(const std::string& name, std::string_view what) {
  return core::fail(core::Code::invalid_argument, "\"" + name + "\" " + std::string(what), name);
}

core::Result<std::string> answer_to(const Question& question, const std::string& name,
                                    const std::string& other, const object& content) {
  std::string text;
  const value* chosen = content.if_contains(name);
  if (chosen != nullptr && chosen->is_string()) {
    append(text, std::string_view(chosen->get_string()));
  } else if (chosen != nullptr && chosen->is_array()) {
    for (const value& each : chosen->get_array()) {
      if (!each.is_string()) return misfit(name, "must be an array of strings");
      append(text, std::string_view(each.get_string()));
    }
  } else if (chosen != nullptr && !chosen->is_null()) {
    return misfit(name, "must be a string");
  }
  if (takes_other(question)) append(text, core::string_member(content, other));
  if (text.empty()) return misfit(name, "has no answer");
  return text;
}

}  // namespace

std::string form_of(const AssistantCall& call) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("mode").string("form").key("message").string(call.text);
  json.key("requestedSchema").begin_object().key("type").string("object");
  json.key("properties").begin_object();
  std::vector<std::string> required;
  if (call.questions.empty()) {
    json.key(kAnswer).begin_object().key("type").string("string").key("title").string("Answer");
    json.end_object();
    required.emplace_back(kAnswer);
  }
  for (std::size_t i = 0; i < call.questions.size(); ++i) {
    const Question& question = call.questions[i];
    write_property(json, name_of(call, i), question);
    if (takes_other(question)) {
      json.key(other_name_of(call, i)).begin_object().key("type").string("string");
      json.key("title").string("Other answer").end_object();
    } else {
      required.push_back(name_of(call, i));
    }
  }
  json.end_object();
  if (!required.empty()) json.key("required").strings(required);
  json.end_object().end_object();
  return out;
}

std::string link_form_of(std::string_view url, std::string_view id) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("mode").string("url");
  json.key("message").string("A question waits in the inbox.").key("url").string(url);
  if (!id.empty()) json.key("elicitationId").string(id);
  json.end_object();
  return out;
}

core::Result<std::string> text_of_form(const AssistantCall& call, const object& content) {
  if (call.questions.empty()) {
    const std::string text = core::string_member(content, kAnswer);
    if (text.empty()) return misfit(std::string(kAnswer), "has no answer");
    return text;
  }
  std::string text;
  for (std::size_t i = 0; i < call.questions.size(); ++i) {
    const Question& question = call.questions[i];
    auto answer = answer_to(question, name_of(call, i), other_name_of(call, i), content);
    if (!answer || call.questions.size() == 1) return answer;
    if (!text.empty()) text += "\n";
    text += "Q: " + (question.header.empty() ? question.text : question.header) + "\nA: " + *answer;
  }
  return text;
}

}  // namespace parley::mcp
