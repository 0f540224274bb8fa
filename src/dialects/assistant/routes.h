// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/core/result.h"
#include "base/net/http/http.h"
#include "dialects/assistant/assistant_context.h"
#include "dialects/assistant/ui_connection.h"

namespace parley::assistant {

// Parameters in the URL of a WebSocket. Errors: `invalid_argument` (another value of gen or ack).
core::Result<UiHello> hello_of(const net::Request& request);

// Adds `/ws` and the RPCs below `/agentassistproto.SrvAgentAssist/`. `context` outlives the router.
void install(net::Router& router, AssistantContext& context);

}  // namespace parley::assistant
