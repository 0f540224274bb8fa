// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/core/scheduler.h"
#include "runtime/tool/mcp/mcp_server.h"
#include "runtime/tool/tool.h"

namespace parley::tool {

// A tool of an MCP server, offered as `name`. Asks by default unless the server declares it
// read-only. `home` is the server's scheduler.
ToolPtr make_mcp_tool(std::shared_ptr<McpServer> server, McpToolInfo info, std::string name,
                      core::Scheduler& home);

}  // namespace parley::tool
