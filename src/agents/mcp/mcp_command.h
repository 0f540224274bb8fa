// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "agents/mcp/asking_offer.h"
#include "agents/mcp/settings.h"
#include "agents/mcp/tool_catalog.h"
#include "base/core/result.h"

namespace parley::mcp {

struct McpOptions {
  ServerSettings server;
  std::string config_file;  // empty: searched in the usual places
  std::string data;         // parley's data directory; empty: from the environment
  bool web = false;         // first opens the page in a browser
  // Does not read the working directory's settings: a repository may have put them there.
  bool no_project_config = false;
  ToolChoice tools;
  AskShape shape = AskShape::automatic;
  core::Millis longest_call{};  // 0: a call lasts as long as its question
  bool help = false;
  bool version = false;
};

// `agentassistant-mcp` and `parley mcp`: serves MCP on stdin and stdout until stdin closes, SIGINT
// or SIGTERM. Messages go to `err`. Returns the exit code: 0 at the end, 2 for an invalid setting.
int run_mcp(const McpOptions& options, std::ostream& err);

// Parses the flags of agentassistant-mcp (without the program's name): -host x, --host x, --host=x,
// and likewise port, token, url, config, data, max-call; web, elicit, no-project-config,
// disable-ask-question, disable-workreport, help, version.
core::Result<McpOptions> parse_mcp_flags(const std::vector<std::string>& arguments);

// The text of --help.
extern const std::string_view kMcpHelp;

// The main function of agentassistant-mcp: parses flags, then calls run_mcp.
int agentassistant_mcp_main(const std::vector<std::string>& arguments, std::ostream& out,
                            std::ostream& err);

}  // namespace parley::mcp
