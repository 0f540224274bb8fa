// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/cli/mcp_file.h"
#include "app/server/settings.h"

namespace parley::app {

// Choice of an mcp.json.
struct McpFileChoice {
  std::string named;           // value of --mcp-config
  std::string working_folder;  // empty: the current one
  bool user = false;           // the file of the home directory
  bool project = false;        // the file of the working folder
};

// Subcommands for the MCP servers in mcp.json, whose tools runs may call. The file is the chosen
// one, else the file that runs in the working folder read; if there is none, `add` creates the file
// of the home directory. A running server reads the file again before each run. `json`: what is
// printed, for a change the changed server. Exit codes: 0; 1 no
// such server; 2 the file or a value cannot be used.
int list_mcp_servers(const Settings& settings, const McpFileChoice& choice, bool json);
int show_mcp_server(const Settings& settings, const McpFileChoice& choice, const std::string& name,
                    bool json);
int add_mcp_server(const Settings& settings, const McpFileChoice& choice, const std::string& name,
                   const McpServerEdit& edit, bool json);
int edit_mcp_server(const Settings& settings, const McpFileChoice& choice, const std::string& name,
                    const McpServerEdit& edit, bool json);
int delete_mcp_server(const Settings& settings, const McpFileChoice& choice,
                      const std::string& name, bool json);
int enable_mcp_server(const Settings& settings, const McpFileChoice& choice,
                      const std::string& name, bool on, bool json);

}  // namespace parley::app
