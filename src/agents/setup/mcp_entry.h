// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "agents/setup/agent_table.h"

namespace parley::setup {

inline constexpr std::string_view kMcpName = "agent-assistant";

// Properties of an entry that not every agent has.
struct EntryOptions {
  bool held = false;     // Claude Code waits for long calls itself, so that they need no end
  bool trusted = false;  // the agent uses the tools without asking: Gemini CLI and Qwen Code
};

// The entry of the MCP server that runs `program`, in the agent's form.
boost::json::object mcp_entry(const AgentFacts& agent, const std::string& program,
                              EntryOptions options = {});

// True if the program of an MCP entry is parley or agentassistant-mcp, as MCP server.
bool is_our_entry(const boost::json::value& entry);

// True if a handler of a hook runs parley, as a hook.
bool is_our_hook(const boost::json::object& handler);

// A word for a POSIX shell; quoted only if it must be.
std::string shell_word(std::string_view word);

}  // namespace parley::setup
