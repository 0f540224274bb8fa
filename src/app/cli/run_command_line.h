// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command_flags.h"
#include "app/cli/events_command.h"
#include "app/cli/mcp_servers_command.h"
#include "app/cli/run_command.h"
#include "app/cli/tool_command.h"
#include "app/server/settings.h"

namespace parley::app {

struct AgentOptions {
  std::string name;                // for `graph`
  std::string working_folder;      // empty: the current one
  std::string format = "mermaid";  // for `graph`: "mermaid" or "dot"
  bool json = false;               // for `list`
};

// Lists or shows the agents for runs in a folder, as the server of this data directory reports
// them. If no server is running, one is started for the duration of the command. Exit codes: 0; 1
// no such agent; 2 no such folder.
int list_agents(const Settings& settings, const AgentOptions& options);
int show_agent_graph(const Settings& settings, const AgentOptions& options);

// The subcommands for runs of agents: run, events, session, agent, tool, models, mcp.
class RunCommandLine {
 public:
  // Each subcommand sets `chosen` to its action when the command line has been read. The arguments
  // must outlive this object, and it must outlive the action.
  RunCommandLine(Flags& flags, Chosen& chosen) : flags_(flags), chosen_(chosen) {}

  void add_to(CLI::App& app);
  // Takes the words after "--" of `parley mcp add` and `edit`, the command line of an MCP server.
  // Returns the number of words before "--".
  int take_program(int argc, char** argv);

 private:
  void add_run(CLI::App& app);
  void add_run_forms(CLI::App& run);
  void add_events(CLI::App& app);
  void add_session(CLI::App& app);
  void add_agent(CLI::App& app);
  void add_tool(CLI::App& app);
  void add_models(CLI::App& app);
  void add_mcp(CLI::App& app);
  CLI::App& add_mcp_command(CLI::App& mcp, const char* name, const char* about,
                            std::function<int(const Settings&)> use);
  void add_mcp_edit_flags(CLI::App& app);
  CLI::App& add(CLI::App& app, const char* name, const char* about,
                std::function<int(const Settings&)> use) {
    return add_data_command(app, name, about, flags_, chosen_, std::move(use));
  }

  Flags& flags_;
  Chosen& chosen_;
  RunCommandOptions run_;
  EventsOptions events_;
  AgentOptions agent_;
  ToolOptions tool_;
  McpFileChoice mcp_file_;
  McpServerEdit mcp_edit_;
  std::string name_;
  bool json_ = false;
};

// `parley mcp` without a subcommand: the MCP server on stdio.
int run_mcp_server(const std::vector<std::string>& arguments);

}  // namespace parley::app
