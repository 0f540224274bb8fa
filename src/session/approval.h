// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "session/interaction.h"

// Interactions of kind tool_approval: how any channel can show one, and what an answer to it means,
// whichever channel it came by.
namespace parley::session {

inline constexpr std::string_view kAllow = "Allow";
inline constexpr std::string_view kDeny = "Deny";

// The prompt as a user interface can show it: with one question that has the whole text (the tool
// and its arguments), the choices Allow and Deny, and room for own words.
Prompt shown_approval(Prompt prompt);

struct ApprovalVerdict {
  bool allow = false;
  std::string reason;  // what was said beside it; empty: nothing
  // With `allow`: the later calls of the same tool in the run are allowed as well.
  bool for_run = false;
  bool operator==(const ApprovalVerdict&) const = default;
};

// The one form in which an approval is recorded: meta `allow` ("true", "false"), `reason` and
// `scope` ("run"), and a text for people: "Allow", "Deny", "Deny: REASON".
Answer approval_answer(const ApprovalVerdict& verdict);
// Reads that form, and an answer in words: "Allow", "Deny", each with more behind it. Whatever is
// not clearly Allow is a refusal with these words for its reason.
ApprovalVerdict approval_verdict(const Answer& answer);

}  // namespace parley::session
