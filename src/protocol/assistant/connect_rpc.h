// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "net/http.h"
#include "protocol/assistant/assistant_context.h"

namespace parley::assistant {

enum class RpcMethod : std::uint8_t {
  ask_question,
  task_finish,
  work_report,
  send_mcp_client_info
};

// One call of SrvAgentAssist in the Connect protocol: checks it, asks in the session of its token
// and answers when the question has its fate, however long that takes. Failures of the call are
// Connect errors; fates of the question are answers in-band (contract section 2.5, decision 4).
// A caller that goes away abandons the question.
void serve_rpc(AssistantContext& context, RpcMethod method, net::Request request,
               net::Responder responder);

}  // namespace parley::assistant
