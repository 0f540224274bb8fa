// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/tool_shelf.h"

#include <utility>

#include "runtime/tool/ask_question.h"
#include "runtime/tool/batch.h"
#include "runtime/tool/memory/memory_tools.h"
#include "runtime/tool/process/bash.h"
#include "runtime/tool/web/web_fetch.h"

namespace parley::app {

ToolShelf::ToolShelf(const ToolShelfOptions& options, tool::Inbox& inbox,
                     http_client::Fetcher& fetcher, const core::Clock& clock,
                     core::Entropy& entropy)
    : outputs_(workers_, options.data_dir, entropy, options.kept_results), mcp_home_(clock) {
  const tool::Environment environment = tool::process_environment();
  tool::Toolbox builtin = tool::builtin_file_tools({workers_, options.data_dir, entropy});
  const tool::Toolbox memory =
      tool::memory_tools(workers_, tool::MemoryStore::at(options.data_dir + "/memory.db", clock));
  for (const tool::ToolPtr& each : memory.all()) builtin.add(each);
  tool::BashOptions shell;
  shell.environment = tool::for_children(environment, options.child_environment);
  shell.data_folder = options.data_dir;
  builtin.add(tool::make_bash(processes_, shell));
  tool::WebFetchOptions web;
  web.allow_private = options.fetch_private;
  builtin.add(tool::make_web_fetch(
      fetcher, [this](core::Task task) { return workers_.post(std::move(task)); }, web));
  builtin.add(tool::make_ask_question(inbox));
  tool::McpOptions mcp;
  mcp.config_path = options.mcp_config;
  mcp.folder_config = options.folder_mcp;
  mcp.home = options.home;
  mcp.environment = environment;
  mcp.program_environment = shell.environment;
  tools_ = std::make_unique<tool::McpTools>(
      std::move(builtin), [](tool::Toolbox& all) { all.add(tool::make_batch(all)); },
      std::move(mcp), processes_, fetcher, mcp_home_);
}

ToolShelf::~ToolShelf() {
  mcp_home_.stop();
  tools_.reset();
}

}  // namespace parley::app
