// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run_watchers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/core/fake_scheduler.h"
#include "tests/support/run/run_world.h"

namespace parley::run {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Run run_of(std::string owner, std::string id) {
  Run run;
  run.owner = std::move(owner);
  run.id = std::move(id);
  return run;
}

TEST(RunWatchers, Runs_AreToldOnlyToOwner) {
  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  RunWatchers watchers;
  std::vector<std::string> alice;
  std::vector<std::string> bob;
  const auto first =
      watchers.watch("alice", scheduler, [&](const run::Run& run) { alice.push_back(run.id); });
  const auto other =
      watchers.watch("bob", scheduler, [&](const run::Run& run) { bob.push_back(run.id); });
  watchers.tell(run_of("alice", "a"));
  watchers.tell(run_of("bob", "b"));
  watchers.tell(run_of("carol", "c"));
  EXPECT_THAT(alice, IsEmpty()) << "it comes on the watcher's thread";
  scheduler.run_ready();
  EXPECT_THAT(alice, ElementsAre("a"));
  EXPECT_THAT(bob, ElementsAre("b"));
}

TEST(RunWatchers, EndedWatch_IsForgotten) {
  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  RunWatchers watchers;
  int told = 0;
  auto first = watchers.watch("alice", scheduler, [&](const run::Run&) { ++told; });
  const auto second = watchers.watch("alice", scheduler, [&](const run::Run&) { ++told; });
  first.reset();
  EXPECT_EQ(watchers.count(), 1U);
  watchers.tell(run_of("alice", "a"));
  scheduler.run_ready();
  EXPECT_EQ(told, 1);
}

TEST(RunService, DeletedSession_IsToldToWatchersOnceGone) {
  RunWorld world;
  world.models.model->replies = {agent::testing::FakeReply::text("Hello.")};
  ASSERT_TRUE(world.start("Hi", "s1"));
  std::vector<std::string> told;
  const auto on_run = [](const run::Run& /*run*/) {};
  const auto watch =
      world.service->watchers().watch("alice", world.scheduler, on_run, [&](const std::string& id) {
        std::size_t left = 0;
        world.service->sessions({"alice", "", 50}, world.scheduler,
                                [&left](const auto& page) { left = page->sessions.size(); });
        world.scheduler.run_ready();
        told.push_back(id + " " + std::to_string(left));
      });
  const auto other = world.service->watchers().watch(
      "bob", world.scheduler, on_run, [&](const std::string& id) { told.push_back("bob " + id); });
  const auto plain = world.service->watchers().watch("alice", world.scheduler, on_run);
  world.service->remove_session("bob", "s1", world.scheduler, [](const auto&) {});
  world.scheduler.run_ready();
  EXPECT_THAT(told, IsEmpty()) << "what cannot be deleted stays";
  world.service->remove_session("alice", "s1", world.scheduler, [](const auto&) {});
  world.scheduler.run_ready();
  EXPECT_THAT(told, ElementsAre("s1 0"));
}

TEST(RunService, EachStateOfRun_IsToldToWatchers) {
  RunWorld world;
  world.models.model->replies = {agent::testing::FakeReply::text("Hello.")};
  std::vector<RunState> states;
  std::string reply;
  const auto watch =
      world.service->watchers().watch("alice", world.scheduler, [&](const run::Run& run) {
        states.push_back(run.state);
        reply = run.reply;
      });
  ASSERT_TRUE(world.start("Hi", "s1"));
  world.scheduler.run_ready();
  ASSERT_GE(states.size(), 2U);
  EXPECT_EQ(states.front(), RunState::running);
  EXPECT_EQ(states.back(), RunState::finished);
  EXPECT_EQ(reply, "Hello.");
}

}  // namespace
}  // namespace parley::run
