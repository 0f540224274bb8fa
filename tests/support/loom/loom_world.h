// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/temp_folder.h"
#include "dialects/loom/loom_connection.h"
#include "identity/access/authority.h"
#include "tests/support/auth/fake_verifier.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/memory_session_store.h"
#include "tests/support/net/fake_websocket.h"
#include "tests/support/run/fake_run_service.h"
#include "tests/support/session/other_node.h"

// The Loom WebSocket on a fake clock, with sockets that record the messages sent to them, and runs
// whose events the test supplies.
namespace parley::loom {

class NamedTool final : public tool::Tool {
 public:
  NamedTool(std::string name, std::string description, std::string parameters)
      : spec_{std::move(name), std::move(description), std::move(parameters)} {}
  const model::ToolSpec& spec() const override { return spec_; }
  void run(tool::ToolContext /*context*/, boost::json::object /*arguments*/, Done done) override {
    done(tool::ToolResult::ok(""));
  }

 private:
  model::ToolSpec spec_;
};

// Runs each posted task at once, on the thread that posts it.
class AtOnce final : public core::Scheduler {
 public:
  explicit AtOnce(const core::Clock& clock) : clock_(clock) {}
  void post(core::Task task) override { task(); }
  core::TimerId after(core::Millis /*delay*/, core::Task /*task*/) override { return 0; }
  void cancel(core::TimerId /*timer*/) override {}
  bool in_thread() const override { return true; }
  const core::Clock& clock() const override { return clock_; }

 private:
  const core::Clock& clock_;
};

// The server side: shards, runs, workspaces, the tokens "tok" and "other".
class LoomServer {
 public:
  explicit LoomServer(LoomOptions options = {}, std::size_t shards = 1,
                      bool with_workspaces = false) {
    tokens.allow("tok", "t1", "alice");
    tokens.allow("other", "t2", "bob");
    std::vector<std::unique_ptr<session::Shard>> created;
    for (std::size_t i = 0; i < shards; ++i) {
      schedulers.emplace_back(clock);
      created.push_back(std::make_unique<session::Shard>(schedulers.back(), entropy, store,
                                                         session::SessionLimits()));
    }
    hub = std::make_unique<session::Hub>(std::move(created), other_node.placement());
    runs = std::make_unique<run::FakeRunService>(*hub);
    runs->registry.models = {{"fake/one", "one", "fake", 1'000, {}, false},
                             {"fake/two", "two", "fake", 1'000, {}, false}};
    runs->toolbox.add(std::make_shared<NamedTool>("read", "Reads a file.",
                                                  R"({"type":"object","required":["path"]})"));
    if (with_workspaces) {
      workspaces = std::move(WorkspaceStore::open(folder_.path(), clock, entropy).value());
    }
    context = std::make_unique<LoomContext>(*hub, store, *runs, workspaces.get(), tokens, entropy,
                                            metrics, options);
  }
  ~LoomServer() {
    workspaces.reset();
    context.reset();
  }
  LoomServer(const LoomServer&) = delete;
  LoomServer& operator=(const LoomServer&) = delete;

  // Runs tasks until no task is left, those of the workspaces' thread included.
  void run() {
    std::size_t count = 1;
    while (count > 0) {
      count = 0;
      for (core::FakeScheduler& scheduler : schedulers) count += scheduler.run_ready();
      if (count == 0 && workspaces) {
        wait_for_workspaces();
        for (core::FakeScheduler& scheduler : schedulers) count += scheduler.run_ready();
      }
    }
  }
  void advance(core::Millis by) {
    schedulers[0].advance(by);
    run();
  }

  core::FakeClock clock;
  std::deque<core::FakeScheduler> schedulers;
  core::SeededEntropy entropy{3};
  event::MemorySessionStore store;
  auth::FakeVerifier tokens;
  net::Metrics metrics;
  session::OtherNode other_node;
  std::unique_ptr<session::Hub> hub;
  std::unique_ptr<run::FakeRunService> runs;
  std::unique_ptr<WorkspaceStore> workspaces;
  std::unique_ptr<LoomContext> context;

 private:
  // Blocks until all earlier calls to the workspaces have completed.
  void wait_for_workspaces() {
    AtOnce at_once(clock);
    std::promise<void> reached;
    workspaces->log_position("", "", at_once,
                             [&reached](core::Result<std::uint64_t>) { reached.set_value(); });
    ASSERT_EQ(reached.get_future().wait_for(std::chrono::minutes(2)), std::future_status::ready);
  }

  core::TempFolder folder_{"parley-loom"};
};

// A client: a socket and its connection.
class LoomPeer {
 public:
  explicit LoomPeer(LoomServer& server, std::string token = "tok", std::size_t home = 0)
      : socket(server.schedulers[home]), server_(server) {
    const auth::Identity identity = server.tokens.verify(token, "").value();
    connection_ = std::make_unique<LoomConnection>(
        *server.context, LoomCaller{identity.workspace, identity.name, std::move(token),
                                    identity.rights, access::authority_of(identity)});
    connection_->on_open(socket);
  }
  ~LoomPeer() { hang_up(); }
  LoomPeer(const LoomPeer&) = delete;
  LoomPeer& operator=(const LoomPeer&) = delete;

  void hang_up() {
    if (!connection_) return;
    socket.is_open = false;
    connection_->on_close(socket, net::close_code::kAbnormal, "");
    connection_.reset();
    server_.run();
  }
  // Delivers a message and runs no task.
  void give(std::string_view text, net::MessageType type = net::MessageType::text) {
    if (connection_ && socket.is_open) connection_->on_message(socket, type, text);
  }
  void send(std::string_view text) {
    give(text);
    server_.run();
  }
  std::vector<std::string> take() { return std::exchange(socket.sent, {}); }
  // The only answer to a request; empty if there were none or several.
  std::string ask(std::string_view text) {
    socket.sent.clear();
    send(text);
    return socket.sent.size() == 1 ? socket.sent.front() : std::string();
  }

  net::FakeWebSocket socket;

 private:
  LoomServer& server_;
  std::unique_ptr<LoomConnection> connection_;
};

}  // namespace parley::loom
