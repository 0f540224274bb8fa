// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "runtime/tool/process/child_environment.h"

namespace parley::tool {

// One server of mcp.json: a program reached over its standard input and output, or an address
// (streamable HTTP).
struct McpServerConfig {
  std::string name;
  std::string command;  // empty: the server has a url
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  bool operator==(const McpServerConfig&) const = default;
};

// 32 hexadecimal digits that stand for what a server runs or calls: its command, arguments,
// variables and address. Headers (credentials) do not count. `folder`: the folder of a program
// whose configuration leaves the choice of the program to it; may be empty.
std::string mcp_config_digest(const McpServerConfig& server, std::string_view folder);

struct McpConfig {
  std::vector<McpServerConfig> servers;  // without disabled ones, ordered by name
  std::vector<std::string> faults;       // a sentence for each server that was left out
  std::string path;                      // of the file; empty: none was read
};

// Reads {"mcpServers":{NAME:{"command","args","env","disabled"}|{"url","headers"}}} (contract 3.2).
// ${VAR} in values of env and headers is replaced from `environment`. A faulty server is left out.
// Unknown members are ignored. Errors: `invalid_argument` (not such a file at all).
core::Result<McpConfig> read_mcp_config(std::string_view text, const Environment& environment);

// Places where the file is searched. Each may be empty.
struct McpPlaces {
  std::string named;           // by --mcp-config
  std::string variable;        // value of LOOM_MCP_CONFIG_PATH
  std::string working_folder;  // its .loom/mcp.json
  std::string home;            // its .loom/mcp.json
};

// <folder>/.loom/mcp.json
std::string mcp_config_below(const std::string& folder);

// The first place that counts, in this order; `named` and `variable` count even if the file does
// not exist.
std::optional<std::string> find_mcp_config(const McpPlaces& places);

// Reads the file. Errors: `not_found`, `invalid_argument`; the message names the file.
core::Result<McpConfig> load_mcp_config(const std::string& path, const Environment& environment);

// Limit (Tools): MCP servers. Reached: refused.
inline constexpr std::size_t kMaxMcpServers = 64;
inline constexpr std::size_t kMaxMcpConfigBytes = 1U << 20U;

}  // namespace parley::tool
