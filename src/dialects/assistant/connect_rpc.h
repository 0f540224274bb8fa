// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/net/http/http.h"
#include "dialects/assistant/assistant_context.h"

namespace parley::assistant {

enum class RpcMethod : std::uint8_t {
  ask_question,
  task_finish,
  work_report,
  send_mcp_client_info
};

inline constexpr std::string_view kServicePath = "/agentassistproto.SrvAgentAssist/";

// Admits or refuses a call by its head. If the head has no token, the body is charged to the budget
// of unknown senders of its address: the message may contain the token. Refusals are Connect
// errors.
tl::expected<net::Admission, net::Response> admit_rpc(AssistantContext& context, RpcMethod method,
                                                      const net::Request& head);

// Serves one call of SrvAgentAssist in the Connect protocol: checks it, asks in the session of its
// token, and answers when the question is closed, however long that takes. Errors of the call are
// Connect errors; outcomes of the question are answers in-band (contract section 2.5, decision 4).
// A caller that disconnects abandons its question.
void serve_rpc(AssistantContext& context, RpcMethod method, net::Request request,
               net::Responder responder);

}  // namespace parley::assistant
