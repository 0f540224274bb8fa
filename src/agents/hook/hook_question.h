// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agents/hook/hook_event.h"
#include "agents/mcp/assistant_call.h"

namespace parley::hook {

// The longest action as JSON, in bytes: it travels in a header.
// Limit (parley hook): an action in the header `Parley-Action`, as JSON. Reached: not named.
inline constexpr std::size_t kMaxActionBytes = 4'096;

// The action that a permission request asks for, as a JSON object (docs/protocol-assistant.md), so
// that the server finds what was decided for the like: a shell command or the use of a file.
// Empty: it is neither, or too long.
std::string asked_action(const HookEvent& event);

enum class Act : std::uint8_t {
  allow,
  allow_rule,    // allow, and keep a rule that the agent suggested
  accept_edits,  // approve a plan, and accept edits without asking
  edit,          // run another command
  deny,
  deny_stop,  // deny, and end the turn
  silent,     // the agent asks by itself
};

// An answer that a person can choose. Labels are fixed words: text of the agent stands in
// descriptions only.
struct HookChoice {
  std::string label;
  std::string description;
  Act act = Act::silent;
  std::size_t rule = 0;  // index of the suggestion of allow_rule
};

struct HookQuestion {
  std::string text;
  std::string header;
  std::vector<HookChoice> choices;
  Language language = Language::english;
};

inline constexpr std::size_t kMaxHeaderChars = 30;

// The question of a permission request or a plan.
HookQuestion question_of(const HookEvent& event);

// The rule that suggestion `at` would add, with the place where the agent keeps it, for a person;
// empty if it must not be offered, because it grants more than a person sees here.
std::string rule_words(const HookEvent& event, std::size_t at);

// The question after an answer that was none of its choices: its text names them first.
HookQuestion asked_again(HookQuestion question, std::string_view answer);

// The call of the Agent Assistant protocol. `again`: a question that accepts only its choices.
mcp::AssistantCall call_of(const HookEvent& event, const HookQuestion& question, core::Millis wait,
                           bool again);

// The questions of the agent, with unique headers. Empty: their form is unknown.
std::vector<core::Question> own_questions(const HookEvent& event);

// The call with the questions of the agent.
mcp::AssistantCall call_of(const HookEvent& event, std::vector<core::Question> questions,
                           core::Millis wait);

}  // namespace parley::hook
