// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/session/interaction.h"
#include "runtime/model/message.h"
#include "runtime/run/run.h"

namespace parley::run {

// The question to the people of an owner before a tool runs. Its display and the meaning of its
// answers are defined in model/session/approval.h.

// Longest arguments about which a person can be asked, in bytes: the question shows all of them.
// Limit (Notifications): arguments of a tool call about which a person is asked. Reached: the call
// fails.
inline constexpr std::size_t kMaxAskedBytes = 1U << 20U;

// Key of the question in the owner's inbox; the same for the same call after a restart.
std::string approval_key(std::string_view run_id, std::string_view call_id);

struct ApprovalQuestion {
  // The tool and its arguments as text. `detail` has the same for programs: {"tool_approval":{name,
  // source, arguments, run_id, call_id, session_id, explanation}}, where `source` is
  // tool::Tool::identity(), and `explanation` is absent if it is empty.
  session::Prompt prompt;
  // Effects of the shell command in the arguments, as explanation_json() writes them; empty: there
  // is no command, or nothing to say.
  std::string explanation;
};
ApprovalQuestion approval_question(const Run& run, const model::ToolCall& call,
                                   std::string_view source);

}  // namespace parley::run
