// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "runtime/model/message.h"
#include "runtime/run/run.h"
#include "session/interaction.h"

namespace parley::run {

// What the people of an owner are asked before a tool runs. How it is shown and what answers to it
// mean is the model's: session/approval.h.

// The name of the question in the owner's inbox; the same for the same call after a restart.
std::string approval_key(std::string_view run_id, std::string_view call_id);

// The question: the tool and its arguments to read. Its `detail` has the same for programs:
// {"tool_approval":{name, source, arguments, run_id, call_id, session_id}}, where `source` is
// tool::Tool::source().
session::Prompt approval_prompt(const Run& run, const model::ToolCall& call,
                                std::string_view source);

}  // namespace parley::run
