// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/session/interaction.h"

namespace parley::session {

// The effect of a choice of a permission prompt. The prompts of agents reach the server as
// questions with choices; their labels are those of `parley hook`.
enum class ChoiceRole : std::uint8_t {
  other,
  allow_once,  // "Allow once", "Approve"
  lasting,     // allows more than what is shown: "Always 2", "Approve, accept edits"
  refuse,      // "Deny", "Keep planning"
  elsewhere,   // decides nothing: "Answer in the terminal"
};
ChoiceRole role_of(std::string_view label);

// The two choices of a permission prompt that decide about what is shown, and nothing else.
struct Decision {
  const Choice* allow = nullptr;
  const Choice* refuse = nullptr;
};
// std::nullopt: the prompt is no permission prompt. Points into `prompt`.
std::optional<Decision> decision_of(const Prompt& prompt);

}  // namespace parley::session
