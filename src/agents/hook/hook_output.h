// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "agents/hook/hook_reply.h"

namespace parley::hook {

// An output is the line that the agent reads on stdout, in the agent's own form; empty: silence,
// and the agent asks by itself.

// The output for a permission request or a plan. `command`: the new one of Act::edit.
std::string output_of(const HookEvent& event, const Decision& decision,
                      const std::string& command = {});
// The output for the agent's questions; `answers` has one for each.
std::string output_of(const HookEvent& event, const std::vector<QuestionReply>& answers);
// The output for an ended turn: the agent goes on with `text`. Empty: this agent cannot.
std::string continue_output(const HookEvent& event, std::string_view text);

// Limit (parley hook): characters of a denial's reason. Reached: cut.
inline constexpr std::size_t kMaxReasonChars = 8000;
// Limit (parley hook): output of the hook. Reached: silence.
inline constexpr std::size_t kMaxOutputBytes = 1U << 20U;

}  // namespace parley::hook
