// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/run_assembly.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/worker.h"
#include "base/http_client/curl_fetcher.h"
#include "base/http_client/fetcher.h"
#include "dialects/chat/chat_context.h"
#include "dialects/chat/routes.h"
#include "dialects/loom/loom_context.h"
#include "dialects/loom/routes.h"
#include "dialects/loom/workspace_store.h"
#include "runtime/comfyui/event_socket.h"
#include "runtime/comfyui/server/health_checks.h"
#include "runtime/comfyui/server/server_registry.h"
#include "runtime/demo_model/demo_model.h"
#include "runtime/model/provider_registry.h"
#include "runtime/run/local_run_service.h"
#include "runtime/tool/ask_question.h"
#include "runtime/tool/batch.h"
#include "runtime/tool/file/file_tools.h"
#include "runtime/tool/file/stored_results.h"
#include "runtime/tool/file/tool_output.h"
#include "runtime/tool/inbox.h"
#include "runtime/tool/mcp/mcp_tools.h"
#include "runtime/tool/memory/memory_tools.h"
#include "runtime/tool/process/bash.h"
#include "runtime/tool/process/process.h"
#include "runtime/tool/session_inbox.h"
#include "runtime/tool/web/web_fetch.h"
#include "runtime/tool/worker.h"
#include "services/front_end/front_end_store.h"

namespace parley::app {

namespace {

struct ServerToolsOptions {
  std::string data_dir;
  sql::StorePlace stores;
  std::string home;
  std::string mcp_config;
  bool folder_mcp = false;  // true: a working folder's own mcp.json is read
  bool fetch_private = false;
  tool::ResultLimits result_limits;
  // Variables for bash and MCP servers beside tool::kChildVariables.
  std::vector<std::string> child_environment;
};

// The tools of this server's runs with their services: files, shell, web, memory, questions, MCP
// servers, and batches of them.
class ServerTools {
 public:
  // All arguments must outlive it.
  ServerTools(const ServerToolsOptions& options, tool::Inbox& inbox, http_client::Fetcher& fetcher,
              const core::Clock& clock, core::Entropy& entropy);
  ~ServerTools();

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

ServerTools::ServerTools(const ServerToolsOptions& options, tool::Inbox& inbox,
                         http_client::Fetcher& fetcher, const core::Clock& clock,
                         core::Entropy& entropy)
    : outputs_(workers_, options.data_dir, entropy, options.result_limits), mcp_home_(clock) {
  const tool::Environment environment = tool::process_environment();
  tool::Toolbox builtin = tool::builtin_file_tools({workers_, options.data_dir, entropy});
  const tool::Toolbox memory =
      tool::memory_tools(workers_, tool::MemoryStore::at(options.stores, clock));
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

ServerTools::~ServerTools() {
  mcp_home_.stop();
  tools_.reset();
}

std::string environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::string() : std::string(value);
}

model::ModelSettings model_settings(const Settings& settings) {
  model::ModelSettings models = settings.models;
  model::add_well_known_providers(models, environment);
  return models;
}

ServerToolsOptions shelf_options(const Settings& settings) {
  ServerToolsOptions options;
  options.data_dir = settings.data;
  options.stores = settings.stores();
  options.home = environment("HOME");
  options.mcp_config = settings.mcp_config;
  options.folder_mcp = settings.folder_mcp;
  options.fetch_private = settings.fetch_private;
  options.result_limits = settings.result_limits;
  options.child_environment = settings.child_environment;
  return options;
}

run::RunOptions run_options(const Settings& settings, core::WorkGate& gate) {
  run::RunOptions options = settings.runs;
  options.gate = &gate;
  options.data_dir = settings.data;
  std::error_code error;
  options.node = settings.cluster_node;
  options.working_folder = settings.run_folder.empty()
                               ? std::filesystem::current_path(error).string()
                               : settings.run_folder;
  options.home = environment("HOME");
  for (std::string& folder : options.folders) {
    if (folder.starts_with("~/")) folder.replace(0, 1, options.home);
  }
  return options;
}

void add_gauges(net::Metrics& metrics, const run::LocalRunService& runs) {
  metrics.gauge("parley_runs_live", "Active runs",
                [&runs] { return static_cast<double>(runs.counts().live); });
  metrics.gauge("parley_runs_started", "Runs since the start",
                [&runs] { return static_cast<double>(runs.counts().started); });
  metrics.gauge("parley_runs_refused", "Runs that a limit refused since the start",
                [&runs] { return static_cast<double>(runs.counts().refused); });
}

}  // namespace

struct RunAssembly::Parts {
  explicit Parts(const RunDependencies& dependencies)
      : fetcher(dependencies.clock),
        registry(model_settings(dependencies.settings), environment, fetcher, dependencies.clock,
                 dependencies.entropy, demo_model::make_demo_model()),
        inbox(dependencies.hub),
        tools(shelf_options(dependencies.settings), inbox, fetcher, dependencies.clock,
              dependencies.entropy),
        comfyui_sockets(dependencies.clock, dependencies.entropy) {}

  http_client::CurlFetcher fetcher;
  model::ProviderRegistry registry;
  tool::SessionInbox inbox;
  ServerTools tools;
  comfyui::SocketThread comfyui_sockets;
  std::unique_ptr<comfyui::ServerRegistry> comfyui_servers;
  std::unique_ptr<comfyui::ComfyDependencies> comfyui;
  std::unique_ptr<run::LocalRunService> runs;
  std::unique_ptr<loom::WorkspaceStore> workspaces;
  std::unique_ptr<loom::LoomContext> loom;
  std::unique_ptr<chat::ChatSessionStore> chats;
  std::unique_ptr<front_end::FrontEndStore> front_end;
  std::unique_ptr<chat::ChatContext> chat;
};

RunAssembly::RunAssembly(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

RunAssembly::~RunAssembly() { stop(); }

core::Result<std::unique_ptr<RunAssembly>> RunAssembly::open(const RunDependencies& dependencies) {
  auto parts = std::make_unique<Parts>(dependencies);
  PARLEY_TRY(auto servers,
             comfyui::ServerRegistry::open(dependencies.settings.stores(),
                                           dependencies.settings.comfyui, dependencies.clock));
  parts->comfyui_servers = comfyui::with_health_checks(std::move(servers), parts->fetcher,
                                                       dependencies.entropy, dependencies.clock);
  parts->comfyui = std::unique_ptr<comfyui::ComfyDependencies>(new comfyui::ComfyDependencies{
      *parts->comfyui_servers, parts->fetcher, parts->comfyui_sockets, dependencies.entropy});
  run::RunOptions options_of_runs = run_options(dependencies.settings, dependencies.gate);
  options_of_runs.is_home = dependencies.is_home;
  PARLEY_TRY(options_of_runs.index, run::RunIndex::open(dependencies.settings.stores()));
  auto runs = run::LocalRunService::open(
      options_of_runs,
      {dependencies.hub, dependencies.store, dependencies.clock, dependencies.entropy,
       parts->registry, parts->tools.source(), parts->inbox, &parts->tools.outputs(),
       [kept = parts.get()](const std::string& owner, const std::string& session,
                            core::Scheduler& scheduler, run::RunService::Done<void> done) {
         kept->workspaces->forget_thread(owner, session, scheduler, std::move(done));
       }});
  if (!runs) return core::fail(std::move(runs.error()));
  parts->runs = std::move(*runs);
  add_gauges(dependencies.metrics, *parts->runs);
  PARLEY_TRY(auto workspaces, loom::WorkspaceStore::open(dependencies.settings.stores(),
                                                         dependencies.clock, dependencies.entropy));
  parts->workspaces = std::move(workspaces);
  loom::LoomOptions options;
  options.max_message_bytes = dependencies.settings.max_message_bytes;
  options.compression = dependencies.settings.compression;
  parts->loom = std::make_unique<loom::LoomContext>(
      dependencies.hub, dependencies.store, *parts->runs, parts->workspaces.get(),
      dependencies.tokens, dependencies.entropy, dependencies.metrics, options);
  PARLEY_TRY(auto chats, chat::ChatSessionStore::open(dependencies.settings.stores(),
                                                      dependencies.clock, dependencies.entropy));
  parts->chats = std::move(chats);
  PARLEY_TRY(auto front_end,
             front_end::FrontEndStore::open(dependencies.settings.stores(), dependencies.clock,
                                            dependencies.entropy));
  parts->front_end = std::move(front_end);
  parts->chat = std::unique_ptr<chat::ChatContext>(
      new chat::ChatContext{dependencies.hub, dependencies.store, *parts->runs, *parts->chats,
                            dependencies.tokens, dependencies.entropy, parts->tools.workers(),
                            dependencies.gate, chat::ChatCounters(dependencies.metrics)});
  parts->chat->options.max_message_bytes = dependencies.settings.max_message_bytes;
  parts->chat->options.compression = dependencies.settings.compression;
  parts->chat->front_end = parts->front_end.get();
  parts->chat->comfyui = parts->comfyui.get();
  return std::unique_ptr<RunAssembly>(new RunAssembly(std::move(parts)));
}

void RunAssembly::install(net::Router& router) {
  loom::install(router, *parts_->loom);
  chat::install(router, *parts_->chat);
}

run::RunService& RunAssembly::runs() { return *parts_->runs; }

run::RunWatchers& RunAssembly::changes() { return parts_->runs->watchers(); }

void RunAssembly::take_up(run::OwnerFilter owners) { parts_->runs->take_up(std::move(owners)); }

void RunAssembly::poll() { parts_->comfyui_servers->poll(); }

void RunAssembly::stop() {
  if (parts_->runs) parts_->runs->stop();
}

}  // namespace parley::app
