// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/core/scheduler.h"
#include "runtime/tool/mcp/mcp_config.h"
#include "runtime/tool/mcp/mcp_transport.h"
#include "runtime/tool/process/process.h"

namespace parley::tool {

// An MCP server that is a program: one message per line. Its standard error is logged at level
// debug. `environment` is what the program gets in addition to the variables of its configuration.
std::unique_ptr<McpTransport> make_mcp_stdio(const McpServerConfig& config, std::string folder,
                                             Environment environment, ProcessRunner& runner,
                                             core::Scheduler& home);

}  // namespace parley::tool
