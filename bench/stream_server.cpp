// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream_server.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/worker.h"
#include "base/net/http/metrics.h"
#include "base/net/loop/loop.h"
#include "base/net/loop/tcp.h"
#include "base/net/server/server.h"
#include "dialects/api/api.h"
#include "dialects/loom/loom_context.h"
#include "dialects/loom/routes.h"
#include "identity/auth/token_store.h"
#include "model/event/sqlite_session_store.h"
#include "model/session/hub.h"
#include "pouring_model.h"
#include "runtime/run/local_run_service.h"
#include "runtime/tool/session_inbox.h"

namespace parley::bench {
namespace {

// Returns the value, or ends the program with the error.
template <typename T>
T need(core::Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "stream server: %s\n", result.error().message.c_str());
  std::exit(1);
}

struct StreamServer {
  explicit StreamServer(const std::string& folder)
      : gate(folder + "/gate"),
        models(make_pouring_models(gate)),
        tools(make_idle_tools()),
        tokens(need(auth::TokenStore::open(folder, clock, entropy))) {
    event::StoreOptions options;
    options.place = folder;
    store = need(event::SqliteSessionStore::open(options, clock, entropy));
    tokens->allow_for_this_run(kStreamToken, "bench");
    std::vector<std::unique_ptr<session::Shard>> shards;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
      loops.push_back(std::make_unique<net::Loop>(clock));
      shards.push_back(std::make_unique<session::Shard>(*loops.back(), entropy, *store,
                                                        session::SessionLimits()));
    }
    hub = std::make_unique<session::Hub>(std::move(shards));
    inbox = std::make_unique<tool::SessionInbox>(*hub);
    run::RunOptions run_options;
    run_options.data_dir = folder;
    run_options.working_folder = std::filesystem::path(folder).parent_path().string();
    run_options.home = folder;
    runs = need(run::LocalRunService::open(
        run_options, {*hub, *store, clock, entropy, *models, *tools, *inbox}));
    loom = std::make_unique<loom::LoomContext>(*hub, *store, *runs, nullptr, *tokens, entropy,
                                               metrics);
    v1 = std::make_unique<api::Context>(api::Context{*hub, *store, *tokens, entropy, disk});
    v1->runs = runs.get();
  }

  net::Endpoint listen() {
    net::Router router;
    api::install(router, *v1);
    loom::install(router, *loom);
    net::ServerOptions options;
    options.log_requests = false;
    server = std::make_unique<net::Server>(tcp, std::move(router), options, metrics, entropy);
    std::vector<core::Scheduler*> schedulers;
    for (const auto& loop : loops) schedulers.push_back(loop.get());
    return need(server->listen(schedulers, {"127.0.0.1", 0}));
  }

  core::SystemClock clock;
  core::SystemEntropy entropy;
  net::Metrics metrics;
  StreamGate gate;
  std::unique_ptr<model::ModelRegistry> models;
  std::unique_ptr<tool::ToolSource> tools;
  std::unique_ptr<auth::TokenStore> tokens;
  std::unique_ptr<event::SqliteSessionStore> store;
  std::vector<std::unique_ptr<net::Loop>> loops;
  std::unique_ptr<session::Hub> hub;
  std::unique_ptr<tool::SessionInbox> inbox;
  std::unique_ptr<run::LocalRunService> runs;
  std::unique_ptr<loom::LoomContext> loom;
  core::Worker disk{clock};
  std::unique_ptr<api::Context> v1;
  net::SystemNetwork tcp;
  std::unique_ptr<net::Server> server;
};

}  // namespace

int serve_streams(const std::string& folder) {
  StreamServer server(folder);
  const net::Endpoint at = server.listen();
  std::vector<std::thread> threads;
  for (const auto& loop : server.loops) {
    threads.emplace_back([&loop = *loop] { loop.run(); });
  }
  std::printf("%d\n", static_cast<int>(at.port));
  std::fflush(stdout);
  for (std::thread& thread : threads) thread.join();
  return 0;
}

}  // namespace parley::bench
