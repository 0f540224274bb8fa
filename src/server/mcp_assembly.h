// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "auth/token_store.h"
#include "core/entropy.h"
#include "core/work_gate.h"
#include "net/http/http.h"
#include "net/http/metrics.h"
#include "protocol/mcp_http/mcp_http_context.h"
#include "session/hub.h"

namespace parley::app {

// Services below MCP over HTTP. They must outlive its context.
struct McpGround {
  session::Hub& hub;
  auth::Verifier& verifier;
  core::WorkGate& gate;
  core::Entropy& entropy;
  net::Metrics& metrics;
};

// MCP over HTTP, whose tools ask the people of the caller's workspace.
std::unique_ptr<mcp_http::McpHttpContext> make_mcp(const McpGround& ground,
                                                   std::vector<core::Scheduler*> schedulers,
                                                   mcp_http::McpHttpOptions options);

}  // namespace parley::app
