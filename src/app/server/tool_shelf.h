// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/worker.h"
#include "base/http_client/fetcher.h"
#include "runtime/tool/file/file_tools.h"
#include "runtime/tool/file/kept_results.h"
#include "runtime/tool/file/tool_output.h"
#include "runtime/tool/inbox.h"
#include "runtime/tool/mcp/mcp_tools.h"
#include "runtime/tool/process/process.h"
#include "runtime/tool/worker.h"

namespace parley::app {

struct ToolShelfOptions {
  std::string data_dir;
  std::string home;
  std::string mcp_config;
  bool folder_mcp = false;  // true: a working folder's own mcp.json is read
  bool fetch_private = false;
  tool::KeptLimits kept_results;
  // Variables for bash and MCP servers beside tool::kChildVariables.
  std::vector<std::string> child_environment;
};

// The tools of this server's runs with their services: files, shell, web, memory, questions, MCP
// servers, and batches of them.
class ToolShelf {
 public:
  // All arguments must outlive it.
  ToolShelf(const ToolShelfOptions& options, tool::Inbox& inbox, http_client::Fetcher& fetcher,
            const core::Clock& clock, core::Entropy& entropy);
  ~ToolShelf();

  tool::ToolSource& source() { return *tools_; }
  tool::OutputStore& outputs() { return outputs_; }
  tool::WorkerPool& workers() { return workers_; }

 private:
  tool::WorkerPool workers_;
  tool::OutputStore outputs_;
  tool::ProcessRunner processes_;
  core::Worker mcp_home_;
  std::unique_ptr<tool::McpTools> tools_;
};

}  // namespace parley::app
