// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/test_prompt.h"

#include <array>
#include <boost/json/array.hpp>
#include <cstdint>
#include <sstream>
#include <utility>

#include "agents/hook/hook_words.h"
#include "app/cli/host_client.h"
#include "app/cli/server_state.h"
#include "base/core/json_member.h"
#include "base/core/visible_text.h"

namespace parley::app {
namespace {

namespace json = boost::json;

// Channels of an answer (docs/events.md, "Answerers").
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kPlaces = {{
    {"console", "in the console, as "},
    {"assistant", "in a client of the Agent Assistant protocol, as "},
    {"push", "from a push notice on "},
    {"ntfy", "from a notice of ntfy, "},
    {"mail", "from a mail to "},
    {"webhook", "by the webhook "},
    {"link", "on the page of an answer link, as "},
}};

std::string answer_place(const json::object& by) {
  const std::string channel = core::string_member(by, "channel");
  const std::string name = core::visible_line(core::string_member(by, "name"));
  for (const auto& [known, words] : kPlaces) {
    if (known == channel) return std::string(words) + name;
  }
  return "by " + core::visible_line(channel) + ", as " + name;
}

const json::object* object_in(const json::object& from, std::string_view name) {
  const json::value* found = from.if_contains(name);
  return found == nullptr ? nullptr : found->if_object();
}

}  // namespace

std::string answered_place(const json::object& answer, std::string_view question) {
  const json::value* list = answer.if_contains("interactions");
  if (list == nullptr || !list->is_array()) return {};
  std::string place;
  std::int64_t newest = -1;
  for (const json::value& one : list->get_array()) {
    const json::object* interaction = one.if_object();
    if (interaction == nullptr) continue;
    const json::object* prompt = object_in(*interaction, "prompt");
    const json::object* outcome = object_in(*interaction, "outcome");
    const json::object* by = outcome == nullptr ? nullptr : object_in(*outcome, "by");
    const json::value* at = interaction->if_contains("opened_at");
    if (prompt == nullptr || by == nullptr || at == nullptr || !at->is_int64()) continue;
    if (core::text_member(*prompt, "text") != question || at->get_int64() <= newest) continue;
    newest = at->get_int64();
    place = answer_place(*by);
  }
  return place;
}

TestQuestion test_question(TestPrompt prompt, hook::Language language) {
  const bool at_setup = prompt == TestPrompt::setup;
  if (language == hook::Language::chinese) {
    return {at_setup ? "这是 `parley setup` 的测试。请在手机上决定这一条。收到了吗？"
                     : "这是 `parley doctor` 的测试。看到了吗？",
            "是"};
  }
  return {at_setup
              ? "This is a test of `parley setup`. Decide this one on your phone. Does it work?"
              : "This is a test of `parley doctor`. Do you see it?",
          "Yes"};
}

TestPromptEnd ask_test_prompt(const std::string& data, TestPrompt prompt) {
  const TestQuestion question = test_question(prompt, hook::language_of_environment());
  mcp::AskOptions ask;
  ask.question = question.text;
  ask.options = {question.choice};
  ask.timeout_s = kTestPromptSeconds;
  ask.data = data;
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream error;
  TestPromptEnd end;
  end.exit = static_cast<mcp::AskExit>(mcp::run_ask(ask, in, out, error));
  if (end.exit != mcp::AskExit::answered) {
    end.error = core::visible_line(error.str().substr(0, error.str().find('\n')));
    return end;
  }
  const auto server = mcp::running_server(data);
  if (!server) return end;
  const auto closed = HostClient::of(server->access)
                          ->call("GET", "/v1/interactions?state=all&limit=20", kStateWait);
  if (closed && closed->is_object())
    end.place = answered_place(closed->get_object(), question.text);
  return end;
}

}  // namespace parley::app
