// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/session/interaction.h"

// Interactions of kind tool_approval: a prompt that any channel can show, and the meaning of an
// answer, whichever channel it came through.
namespace parley::session {

inline constexpr std::string_view kAllow = "Allow";
inline constexpr std::string_view kDeny = "Deny";

// The prompt in a form that a user interface can show: with one question that has the whole text
// (the tool and its arguments), the choices Allow and Deny, and a field for free text.
Prompt shown_approval(Prompt prompt);

struct ApprovalVerdict {
  bool allow = false;
  std::string reason;  // free text beside the decision; empty: none
  // With `allow`: later calls of the same tool in the run are allowed as well.
  bool for_run = false;
  bool operator==(const ApprovalVerdict&) const = default;
};

// True for consent (core::is_consent) in other words than kAllow. It is taken as neither permission
// nor refusal: ask again.
bool is_loose_consent(const Answer& answer);

// The one form in which an approval is recorded: meta `allow` ("true", "false"), `reason` and
// `scope` ("run"), and a text for people: "Allow", "Deny", "Deny: REASON".
Answer approval_answer(const ApprovalVerdict& verdict);
// Parses that form, and an answer in words: "Allow" or "Deny", each with optional further text. Any
// other answer is a refusal with its text as the reason.
ApprovalVerdict approval_verdict(const Answer& answer);

}  // namespace parley::session
