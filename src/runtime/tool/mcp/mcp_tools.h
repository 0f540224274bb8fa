// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/scheduler.h"
#include "base/http_client/fetcher.h"
#include "runtime/tool/mcp/mcp_config.h"
#include "runtime/tool/mcp/mcp_server.h"
#include "runtime/tool/process/process.h"
#include "runtime/tool/tool.h"
#include "runtime/tool/tool_source.h"

namespace parley::tool {

// The result of tools/call as text for a model: texts and embedded texts verbatim, other pieces by
// type and size, structured content if there is nothing else. Cut at kMaxMcpText.
ToolResult read_mcp_result(const boost::json::object& result);

// Limit (Tools, bytes): result of an MCP tool. Reached: cut.
inline constexpr std::size_t kMaxMcpText = 256U << 10U;

// A tool of an MCP server, offered as `name`. Asks by default unless the server declares it
// read-only. `home` is the server's scheduler.
ToolPtr make_mcp_tool(std::shared_ptr<McpServer> server, McpToolInfo info, std::string name,
                      core::Scheduler& home);

struct McpOptions {
  McpServerOptions server;
  std::string config_path;  // from --mcp-config; empty: not set
  std::string home;         // the person's, for ~/.loom/mcp.json; empty: none
  // True: <working folder>/.loom/mcp.json counts. The file starts programs, so set false where
  // folders come from other people.
  bool folder_config = false;
  Environment environment;  // of this process: for ${VAR} and LOOM_MCP_CONFIG_PATH
  // Variables that programs get besides their own: without secrets.
  Environment program_environment;
};

// The built-in tools and those of the configured MCP servers. A server is started when the tools of
// a folder are requested; one that cannot be started is left out, logged, and reported by faults().
// Programs run in the working folder, one per folder; addresses are shared by all folders. A tool
// whose name is taken is called SERVER_TOOL; characters that models do not accept in names become
// "_". Thread-safe. `home` is the scheduler of the servers; `runner` and `fetcher` must outlive
// this object. Destroy it on the home's thread, or after that has stopped.
class McpTools final : public ToolSource {
 public:
  // `finish` may add tools that need the others (batch); called last, for each toolbox. May be
  // empty.
  using Finish = std::function<void(Toolbox& tools)>;
  McpTools(Toolbox builtin, Finish finish, McpOptions options, ProcessRunner& runner,
           http_client::Fetcher& fetcher, core::Scheduler& home);
  ~McpTools() override;

  // A failing server never makes this fail.
  void toolbox(const std::string& working_folder, core::Scheduler& scheduler, Done done) override;
  // Faults of the configuration or the servers of a folder, as of the last toolbox() for it: a
  // sentence each. Any thread.
  std::vector<std::string> faults(const std::string& working_folder) const;

  // Limit of the servers; beyond it an old one is dropped for a new one, stopped servers first.
  static constexpr std::size_t kMaxServers = 256;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Name of a tool for models: letters, digits, "_" and "-", at most 64.
std::string model_tool_name(std::string_view name);

}  // namespace parley::tool
