// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/core/cancel.h"
#include "base/core/scheduler.h"
#include "base/http_client/fetcher.h"
#include "runtime/tool/mcp/mcp_config.h"
#include "runtime/tool/mcp/mcp_transport.h"

namespace parley::tool {

// An MCP server at an address, by streamable HTTP: each message is a POST that is answered with
// JSON or with a stream of events; a GET receives messages that the server sends by itself, if it
// supports that. A session that the server has forgotten (404) closes the transport. A broken
// stream of events is not resumed: its outstanding answers are lost.
std::unique_ptr<McpTransport> make_mcp_http(const McpServerConfig& config,
                                            http_client::Fetcher& fetcher, core::Scheduler& home,
                                            const core::CancelToken& life);

}  // namespace parley::tool
