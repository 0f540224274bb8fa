// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http_client/fetcher.h"
#include "runtime/tool/mcp/mcp_config.h"
#include "runtime/tool/mcp/mcp_server.h"
#include "runtime/tool/process/process.h"
#include "runtime/tool/tool_source.h"

namespace parley::tool {

struct McpOptions {
  McpServerOptions server;
  std::string config_path;  // of --mcp-config; empty: not named
  std::string home;         // the person's, for ~/.loom/mcp.json; empty: none
  // Whether <working folder>/.loom/mcp.json counts. It starts programs, so it does not where
  // folders come from others.
  bool folder_config = false;
  Environment environment;  // of this process: for ${VAR} and LOOM_MCP_CONFIG_PATH
  // What programs get beside their own variables: without secrets.
  Environment program_environment;
};

// The built-in tools and those of the configured MCP servers. A server is started when tools for a
// folder are asked for; one that cannot be is left out, logged and kept in faults(). Programs run
// in the working folder, one for each folder; addresses are shared by all folders. A tool whose
// name is taken already is called SERVER_TOOL; characters that models do not take in names become
// "_". Thread-safe. `home` is where the servers live; `runner` and `fetcher` outlive it. Destroyed
// on the home's thread, or after it has stopped.
class McpTools final : public ToolSource {
 public:
  // `finish` may add tools that need the others (batch); it gets each toolbox last. May be empty.
  using Finish = std::function<void(Toolbox& tools)>;
  McpTools(Toolbox builtin, Finish finish, McpOptions options, ProcessRunner& runner,
           http_client::Fetcher& fetcher, core::Scheduler& home);
  ~McpTools() override;

  // Never fails because of a server.
  void toolbox(const std::string& working_folder, core::Scheduler& scheduler, Done done) override;
  // What is wrong with the configuration or the servers of a folder, as of the last toolbox() for
  // it: a sentence each. Any thread.
  std::vector<std::string> faults(const std::string& working_folder) const;

  // Beyond this many an older server is let go for a new one; those that do not run go first.
  static constexpr std::size_t kMaxServers = 256;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// The name under which a tool is offered to models: letters, digits, "_" and "-", at most 64.
std::string model_tool_name(std::string_view name);

}  // namespace parley::tool
