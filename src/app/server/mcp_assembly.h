// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agents/mcp/asking_offer.h"
#include "app/server/hub_calls.h"
#include "app/server/mcp_library.h"
#include "app/server/orphaned_questions.h"
#include "base/core/scheduler.h"
#include "base/net/http/http.h"
#include "base/net/http/metrics.h"
#include "dialects/mcp_http/mcp_http_context.h"
#include "identity/auth/token_store.h"

namespace parley::app {

// Services below MCP over HTTP, and its settings. They must outlive the assembly.
struct McpDependencies {
  session::Hub& hub;
  event::SessionStore& store;
  core::WorkGate& gate;
  core::Entropy& entropy;
  run::RunService& runs;
  run::RunWatchers& run_changes;
  auth::Verifier& verifier;
  net::Metrics& metrics;
  mcp::AskShape shape;
  core::Millis slice;       // see mcp::InputShape
  std::string console_url;  // of people's pages: "https://parley.example"; empty: none
  std::string key;          // of the states that clients send back: see RequestState
};

// The value of the setting mcp.ask.
mcp::AskShape ask_shape_of(std::string_view word);

// MCP over HTTP, whose tools ask the people of the caller's workspace and whose resources are those
// of that workspace.
class McpAssembly {
 public:
  McpAssembly(const McpDependencies& dependencies, std::vector<core::Scheduler*> schedulers,
              const mcp_http::McpHttpOptions& options);
  ~McpAssembly();
  McpAssembly(const McpAssembly&) = delete;
  McpAssembly& operator=(const McpAssembly&) = delete;

  void install(net::Router& router);
  // Ends every request and session, later; questions stay open. Any thread.
  void shut_down();

 private:
  const McpDependencies dependencies_;
  const std::vector<core::Scheduler*> schedulers_;
  const mcp::RequestState state_;
  OrphanedQuestions orphans_;
  std::vector<std::unique_ptr<QuestionLeases>> leases_;  // one a thread
  std::unique_ptr<mcp_http::McpHttpContext> context_;
};

}  // namespace parley::app
