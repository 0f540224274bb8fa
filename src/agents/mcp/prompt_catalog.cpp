// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/prompt_catalog.h"

#include <algorithm>
#include <array>

#include "agents/mcp/json_rpc.h"
#include "base/core/json_member.h"

namespace parley::mcp {
namespace {

struct Prompt {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view argument;
  std::string_view argument_description;
  std::string_view text;  // in front of the argument
};

constexpr std::array<Prompt, 3> kPrompts = {{
    {"ask-before-risk", "Ask before risky steps",
     "The model asks its person before each step that is hard to undo.", "topic",
     "What to be careful with",
     "Before each step that is hard to undo, costs money, or reaches other people, ask with the "
     "tool ask_question and wait for the answer: say what you would do, why, and what could go "
     "wrong, and offer the alternatives as options. Be especially careful with this: "},
    {"finish-with-report", "Finish with a report",
     "The model reports finished work and acts on the feedback.", "summary",
     "What the report must cover",
     "When the work is done, call the tool task_finish with a summary in Markdown: what was done, "
     "how it was checked, and what is left. Act on the feedback, and report again until the person "
     "has confirmed. The report must cover this: "},
    {"review-plan", "Have a plan reviewed", "The model has its plan approved before it begins.",
     "plan", "The plan, or what it is for",
     "Show this plan with the tool ask_question and the options \"Approve\", \"Change\" and "
     "\"Stop\", and begin only when it is approved. Work in each change and ask again.\n\n"},
}};

}  // namespace

bool prompt_has(std::string_view prompt, std::string_view argument) {
  return std::any_of(kPrompts.begin(), kPrompts.end(), [&](const Prompt& each) {
    return each.name == prompt && each.argument == argument;
  });
}

bool refuse_cursor(const ExchangePtr& exchange) {
  const boost::json::value* cursor = exchange->params().if_contains("cursor");
  if (cursor == nullptr || cursor->is_null()) return false;
  exchange->fail(kInvalidParams, exchange->method() + ": unknown cursor");
  return true;
}

void write_cache_hints(core::JsonWriter& json, const ClientFacts& client) {
  if (client.modern()) json.key("ttlMs").number(0).key("cacheScope").string("private");
}

void list_prompts(const ExchangePtr& exchange) {
  if (refuse_cursor(exchange)) return;
  std::string result;
  core::JsonWriter json(result);
  json.begin_object().key("prompts").begin_array();
  for (const Prompt& prompt : kPrompts) {
    json.begin_object().key("name").string(prompt.name).key("title").string(prompt.title);
    json.key("description").string(prompt.description).key("arguments").begin_array();
    json.begin_object().key("name").string(prompt.argument);
    json.key("description").string(prompt.argument_description);
    json.key("required").boolean(true).end_object().end_array().end_object();
  }
  json.end_array();
  write_cache_hints(json, exchange->client());
  json.end_object();
  exchange->reply(result);
}

void get_prompt(const ExchangePtr& exchange) {
  const std::string name = core::string_member(exchange->params(), "name");
  const auto* prompt = std::find_if(kPrompts.begin(), kPrompts.end(),
                                    [&name](const Prompt& each) { return each.name == name; });
  if (prompt == kPrompts.end()) return exchange->fail(kInvalidParams, "Unknown prompt: " + name);
  const boost::json::value* arguments = exchange->params().if_contains("arguments");
  const std::string given = arguments == nullptr || !arguments->is_object()
                                ? std::string()
                                : core::string_member(arguments->get_object(), prompt->argument);
  if (given.empty()) {
    return exchange->fail(kInvalidParams, "prompts/get: the argument \"" +
                                              std::string(prompt->argument) + "\" is required");
  }
  std::string result;
  core::JsonWriter json(result);
  json.begin_object().key("description").string(prompt->description);
  json.key("messages").begin_array().begin_object().key("role").string("user");
  json.key("content").begin_object().key("type").string("text").key("text");
  json.string(std::string(prompt->text) + given);
  json.end_object().end_object().end_array().end_object();
  exchange->reply(result);
}

}  // namespace parley::mcp
