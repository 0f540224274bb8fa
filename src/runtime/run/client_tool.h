// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/session/session.h"
#include "runtime/run/run_interactions.h"
#include "runtime/tool/toolbox.h"

namespace parley::run {

// Tools of the client that started a run: a call is an interaction of kind client_tool_call in the
// run's session, which the client answers with the result.

// Opens the interaction in the run's session; false if the run has ended.
using AskClient = std::function<bool(session::AskRequest request, const core::CancelToken& cancel,
                                     RunInteractions::Done done)>;
tool::ToolPtr make_client_tool(model::ToolSpec spec, AskClient ask);
// Makes one call of a client's tool, under the call id of the context; `arguments` is a JSON
// object. `done` is called once, later. On the scheduler of the context.
void call_client(const AskClient& ask, const tool::ToolContext& context, std::string_view name,
                 std::string_view arguments, tool::Tool::Done done);

// Limit (Chats): tools of a client. Reached: ERROR, and no run.
inline constexpr std::size_t kMaxClientTools = 128;  // per run
// Limit (Chats): a tool of a client. Reached: ERROR, and no run.
inline constexpr std::size_t kMaxClientToolBytes = 256U << 10U;  // per specification
// Errors: `invalid_argument` (field "client_tools"): too many, too large, a name that is not 1 to
// 64 of A-Z a-z 0-9 _ -, a duplicate name or that of a tool of the server, a schema that
// tool::check_schema_form() refuses.
core::Result<void> check_client_tools(const std::vector<model::ToolSpec>& specs,
                                      const tool::Toolbox& server);

// Key of the interaction; the same for the same call after a restart.
std::string client_call_key(std::string_view run_id, std::string_view call_id);
// `detail` for programs: {"client_tool_call":{name, arguments, run_id, call_id, session_id}}.
session::Prompt client_call_prompt(const tool::ToolContext& context, std::string_view name,
                                   std::string_view arguments);

// The answer to such a call in the recorded form: a text, marked as an error or not.
session::Answer client_answer(const tool::ToolResult& result);
tool::ToolResult client_result(const session::Answer& answer);

}  // namespace parley::run
