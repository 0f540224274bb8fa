// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/temp_folder.h"
#include "runtime/run/local_run_service.h"
#include "runtime/tool/session_inbox.h"
#include "tests/support/agent/fake_model.h"
#include "tests/support/agent/fake_tool.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/memory_session_store.h"

namespace parley::run {

// A model registry with one scripted model.
class OneModel final : public model::ModelRegistry {
 public:
  core::Result<std::shared_ptr<model::Model>> find(const std::string& id) override {
    if (!id.empty() && id != model->id()) {
      return core::fail(core::Code::not_found, "There is no model \"" + id + "\".", "model");
    }
    return std::static_pointer_cast<model::Model>(model);
  }
  std::string default_id() const override { return model->id(); }
  void list(core::Scheduler& scheduler, absl::AnyInvocable<void(Listing)> done) override {
    scheduler.post([done = std::move(done), listing = listing]() mutable { done(listing); });
  }

  Listing listing;
  std::shared_ptr<agent::testing::FakeModel> model = std::make_shared<agent::testing::FakeModel>();
};

class FixedTools final : public tool::ToolSource {
 public:
  void toolbox(const std::string& /*working_folder*/, core::Scheduler& scheduler,
               Done done) override {
    if (broken) throw std::bad_alloc();
    if (silent) return held.push_back(std::move(done));
    scheduler.post([done = std::move(done), tools = tools]() mutable { done(std::move(tools)); });
  }
  tool::Toolbox tools;
  bool broken = false;
  bool silent = false;  // as with a server whose initialize is not answered: `held` waits
  std::vector<Done> held;
};

// The part of a server that runs agents, on one thread, with a fake clock that only tests advance.
class RunWorld {
 public:
  RunWorld() { open(); }
  RunWorld(const RunWorld&) = delete;
  RunWorld& operator=(const RunWorld&) = delete;
  ~RunWorld() {
    close();
    scheduler.run_ready();
  }

  // As after kill -9: stored data stays, everything else is lost.
  void restart() {
    close();
    open();
  }

  std::string data_folder() const { return folder_.file("data"); }
  core::Result<Run> start(RunRequest request) {
    std::optional<core::Result<Run>> out;
    request.owner = "alice";
    service->start(std::move(request), scheduler,
                   [&](core::Result<Run> run) { out = std::move(run); });
    scheduler.run_ready();
    return wait(out);
  }
  core::Result<Run> start(const std::string& message, const std::string& session = "") {
    RunRequest request;
    request.message = model::Message::user(message);
    request.session = session;
    return start(std::move(request));
  }
  // Starts a run whose model does not answer yet.
  core::Result<Run> start_held(const std::string& message, const std::string& session = "") {
    agent::testing::FakeReply later = agent::testing::FakeReply::text("Later.");
    later.holds = true;
    models.model->replies = {later};
    return start(message, session);
  }
  core::Result<Run> resume(const std::string& id) {
    std::optional<core::Result<Run>> out;
    service->resume({"alice", id, {}}, scheduler,
                    [&](core::Result<Run> run) { out = std::move(run); });
    scheduler.run_ready();
    return wait(out);
  }
  core::Result<std::vector<CheckpointInfo>> checkpoints(const std::string& id) {
    std::optional<core::Result<std::vector<CheckpointInfo>>> out;
    service->checkpoints("alice", id, scheduler, [&](auto all) { out = std::move(all); });
    scheduler.run_ready();
    return wait(out);
  }
  core::Result<Run> find(const std::string& id, const std::string& owner = "alice") {
    std::optional<core::Result<Run>> out;
    service->find(owner, id, scheduler, [&](core::Result<Run> run) { out = std::move(run); });
    scheduler.run_ready();
    return wait(out);
  }
  std::vector<std::string> types(const std::string& session) const {
    std::vector<std::string> out;
    for (const event::Event& event : store.events(session)) out.push_back(event.type);
    return out;
  }
  std::string folder() const { return folder_.path(); }

  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  core::SeededEntropy entropy{5};
  event::MemorySessionStore store;
  OneModel models;
  FixedTools tools;
  RunOptions options;
  std::unique_ptr<session::Hub> hub;
  std::unique_ptr<tool::SessionInbox> inbox;
  std::unique_ptr<LocalRunService> service;

 private:
  template <typename T>
  static T wait(std::optional<T>& out) {
    return out ? std::move(*out) : T(core::fail(core::Code::internal, "Nothing was answered."));
  }

  void open() {
    std::vector<std::unique_ptr<session::Shard>> shards;
    shards.push_back(
        std::make_unique<session::Shard>(scheduler, entropy, store, session::SessionLimits{}));
    hub = std::make_unique<session::Hub>(std::move(shards));
    hub->recover(store, scheduler,
                 [](const core::Result<std::size_t>& count) { EXPECT_TRUE(count); });
    scheduler.run_ready();
    inbox = std::make_unique<tool::SessionInbox>(*hub);
    options.data_dir = data_folder();
    std::filesystem::create_directories(options.data_dir);
    options.working_folder = folder_.path();
    options.home = folder_.path();
    auto opened = LocalRunService::open(
        options, {*hub, store, clock, entropy, models, tools, *inbox}, scheduler);
    EXPECT_TRUE(opened) << opened.error().message;
    service = std::move(*opened);
    scheduler.run_ready();
  }

  void close() {
    scheduler.drop_all();
    service.reset();
    // Breaks the cycle: a held call holds its run, and the run holds its model and its tools.
    models.model->drop_held();
    for (const tool::ToolPtr& each : tools.tools.all()) {
      if (auto* fake = dynamic_cast<agent::testing::FakeTool*>(each.get())) fake->drop_held();
    }
    inbox.reset();
    hub.reset();
  }

  core::TempFolder folder_{"parley-run"};
};

}  // namespace parley::run
