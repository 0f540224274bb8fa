// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "session/interaction.h"

// Interactions of kind tool_approval: how the question is put, so that any channel can show it, and
// what an answer to it means, whichever channel it came by.
namespace parley::session {

inline constexpr std::string_view kAllow = "Allow";
inline constexpr std::string_view kDeny = "Deny";

// The question whether a tool may run. `arguments` is JSON text. The prompt has a text that shows
// both, one question with the choices Allow and Deny and room for own words, and `detail`
// {"name":..,"arguments":..}. The rest (agent_name, project_directory, timeout_s) is the asker's.
// Of very long arguments the text shows the beginning only.
Prompt approval_prompt(std::string_view tool, std::string_view arguments);

// The same for a prompt that has only a text: with the choices.
Prompt with_approval_choices(Prompt prompt);

struct ApprovalVerdict {
  bool allow = false;
  std::string reason;  // what was said beside it; empty: nothing
  bool operator==(const ApprovalVerdict&) const = default;
};

// The one form in which an approval is recorded: meta `allow` ("true", "false") and `reason`, and
// a text for people.
Answer approval_answer(const ApprovalVerdict& verdict);
// Reads that form, and an answer in words: "Allow", "Deny", each with more behind it. Whatever is
// not clearly Allow is a refusal with these words for its reason.
ApprovalVerdict approval_verdict(const Answer& answer);

// Arguments longer than this are cut in the text.
inline constexpr std::size_t kMaxShownArguments = 8U << 10U;

}  // namespace parley::session
