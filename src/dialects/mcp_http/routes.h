// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/net/http/http.h"
#include "dialects/mcp_http/mcp_http_context.h"

namespace parley::mcp_http {

inline constexpr std::string_view kPath = "/mcp";

// Adds POST, GET and DELETE of /mcp: MCP over streamable HTTP, revisions 2025-03-26 to 2026-07-28.
// `context` outlives the router.
void install(net::Router& router, McpHttpContext& context);

}  // namespace parley::mcp_http
