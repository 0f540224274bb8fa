// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/mcp_file.h"
#include "server/settings.h"

namespace parley::app {

// Which mcp.json is meant.
struct McpFileChoice {
  std::string named;           // by --mcp-config
  std::string working_folder;  // empty: this one
  bool user = false;           // that of the home directory
  bool project = false;        // that of the working folder
};

// The MCP servers whose tools runs may call, as mcp.json has them. The file is the one that is
// chosen, or else the one that counts for runs in the working folder; a server that is added where
// there is none makes that of the home directory. A running server reads it again before each run.
// Exit codes: 0, 1 there is no such server, 2 the file or what is said of it cannot be used.
int list_mcp_servers(const Settings& settings, const McpFileChoice& choice, bool json);
int show_mcp_server(const Settings& settings, const McpFileChoice& choice, const std::string& name,
                    bool json);
int add_mcp_server(const Settings& settings, const McpFileChoice& choice, const std::string& name,
                   const McpServerEdit& edit);
int edit_mcp_server(const Settings& settings, const McpFileChoice& choice, const std::string& name,
                    const McpServerEdit& edit);
int delete_mcp_server(const Settings& settings, const McpFileChoice& choice,
                      const std::string& name);
int enable_mcp_server(const Settings& settings, const McpFileChoice& choice,
                      const std::string& name, bool on);

}  // namespace parley::app
