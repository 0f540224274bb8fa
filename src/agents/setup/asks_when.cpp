// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/asks_when.h"

#include <algorithm>
#include <optional>

#include "agents/hook/hook_event.h"

namespace parley::setup {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// The value of a flag of `parley hook` in a command for a shell or a list of words; empty: none.
std::string value_in(std::string_view hooks, std::string_view flag) {
  const std::size_t at = hooks.find(flag);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = hooks.substr(at + flag.size());
  const auto begin = std::find_if(rest.begin(), rest.end(), is_lower);
  return {begin, std::find_if_not(begin, rest.end(), is_lower)};
}

// The words of `parley hook` in the text of a file. A file of its own has nothing else; in a
// settings file they are the ends of the strings that are commands.
std::string hook_words_in(const AgentFacts& agent, std::string_view text) {
  const bool is_listed = agent.hooks == HookShape::groups || agent.hooks == HookShape::groups_ms ||
                         agent.hooks == HookShape::cursor_list ||
                         agent.hooks == HookShape::crush_list;
  if (!is_listed) return std::string(text);
  const std::string start = " hook " + std::string(agent.word);
  std::string words;
  for (std::size_t at = text.find(start); at != std::string_view::npos; at = text.find(start, at)) {
    at += start.size();
    words += std::string(text.substr(at, text.find_first_of("\"\n", at) - at)) + "\n";
  }
  return words;
}

AsksWhen of_flags(const AgentFacts& agent, const std::string& when_nobody,
                  const std::string& somebody) {
  const std::optional<hook::Agent> known = hook::agent_named(agent.word);
  if (!known) return AsksWhen::never;
  const bool passes = when_nobody.empty() ? hook::facts_of(*known).serial : when_nobody == "pass";
  if (!passes) return AsksWhen::always;
  return somebody == "page" ? AsksWhen::page : AsksWhen::somebody;
}

// False for agents whose hooks only tell something.
bool can_ask(const AgentFacts& agent) {
  switch (agent.id) {
    case AgentId::claude:
    case AgentId::codex:
    case AgentId::qwen:
    case AgentId::opencode:
      return true;
    default:
      return agent.hooks_need_gate;
  }
}

}  // namespace

AsksWhen asks_when(const AgentFacts& agent, const SetupOptions& options) {
  if (!can_ask(agent) || (agent.hooks_need_gate && options.gate.empty())) return AsksWhen::never;
  return of_flags(agent, options.when_nobody, options.somebody);
}

AsksWhen asks_when(const AgentFacts& agent, std::string_view hooks) {
  const std::string words = hook_words_in(agent, hooks);
  const bool has_gate = words.find("--gate") != std::string::npos;
  if (!can_ask(agent) || (agent.hooks_need_gate && !has_gate)) return AsksWhen::never;
  return of_flags(agent, value_in(words, "--when-nobody"), value_in(words, "--somebody"));
}

SetupOptions as_written(SetupOptions options, const AgentFacts& agent, std::string_view hooks) {
  const std::string words = hook_words_in(agent, hooks);
  options.when_nobody = value_in(words, "--when-nobody");
  options.somebody = value_in(words, "--somebody");
  options.stop = value_in(words, "--stop");
  options.questions = value_in(words, "--questions");
  return options;
}

std::string_view word_of(AsksWhen when) {
  switch (when) {
    case AsksWhen::always:
      return "always";
    case AsksWhen::somebody:
      return "somebody";
    case AsksWhen::page:
      return "page";
    default:
      return "";
  }
}

void write_asks(core::JsonWriter& json, AsksWhen when) {
  json.key("asks");
  when == AsksWhen::never ? json.null() : json.string(word_of(when));
}

std::string sentence_of(const AgentFacts& agent, AsksWhen when) {
  const std::optional<hook::Agent> known = hook::agent_named(agent.word);
  switch (when) {
    case AsksWhen::always:
      return known && hook::facts_of(*known).serial
                 ? "always, and shows no prompt meanwhile; --when-nobody pass: if somebody is there"
                 : "always; its own prompt stays open meanwhile";
    case AsksWhen::somebody:
      return "if somebody is there: a page, a notifier or a device with push (--somebody page: a "
             "page alone; --when-nobody ask: always)";
    case AsksWhen::page:
      return "if a page is open; notifiers and devices do not count (--somebody any: they do; "
             "--when-nobody ask: always)";
    default:
      return {};
  }
}

}  // namespace parley::setup
