// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// A run is cancelled before it has begun: its launch waits for the tools of an MCP server that
// never answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "tests/support/run/run_world.h"

namespace parley::run {
namespace {

using agent::testing::FakeReply;
using testing::IsEmpty;
using testing::SizeIs;

class CancelAtLaunch : public testing::Test {
 protected:
  CancelAtLaunch() { world_.tools.silent = true; }

  RunRequest request(const std::string& id, const std::string& session = "s1") {
    RunRequest out;
    out.owner = "alice";
    out.run_id = id;
    out.session = session;
    out.message = model::Message::user("Hello");
    return out;
  }
  RunService::Done<run::Run> into(std::optional<core::Result<run::Run>>& out) {
    return [&out](core::Result<run::Run> run) { out = std::move(run); };
  }
  void answer_tools() {
    for (auto& done : std::exchange(world_.tools.held, {})) done(world_.tools.tools);
    world_.scheduler.run_ready();
  }
  void expect_cancelled() {
    ASSERT_TRUE(cancelled_) << "the cancellation is not answered";
    ASSERT_TRUE(*cancelled_) << cancelled_->error().message;
    EXPECT_EQ((*cancelled_)->state, RunState::cancelled);
    ASSERT_TRUE(started_) << "the start is not answered";
    ASSERT_FALSE(*started_);
    EXPECT_EQ(started_->error().code, core::Code::cancelled);
    EXPECT_EQ(world_.service->counts().live, 0U);
  }

  RunWorld world_;
  std::optional<core::Result<run::Run>> started_;
  std::optional<core::Result<run::Run>> cancelled_;
};

TEST_F(CancelAtLaunch, SilentServer_RunEndsAtOnce) {
  world_.service->start(request("r"), world_.scheduler, into(started_));
  world_.scheduler.run_ready();
  ASSERT_THAT(world_.tools.held, SizeIs(1));
  world_.service->cancel("alice", "r", world_.scheduler, into(cancelled_));
  world_.scheduler.run_ready();
  expect_cancelled();
  const auto found = world_.find("r");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->state, RunState::cancelled);
  EXPECT_TRUE(found->ended_at);
}

TEST_F(CancelAtLaunch, LateTools_BeginNothing) {
  world_.service->start(request("r"), world_.scheduler, into(started_));
  world_.scheduler.run_ready();
  world_.service->cancel("alice", "r", world_.scheduler, into(cancelled_));
  world_.scheduler.run_ready();
  answer_tools();
  EXPECT_EQ(world_.find("r")->state, RunState::cancelled);
  EXPECT_THAT(world_.store.events("s1"), IsEmpty());
  EXPECT_THAT(world_.models.model->requests, IsEmpty());
}

// The cancellation overtakes each step of the launch once.
TEST_F(CancelAtLaunch, EachStep_EndsCancelledOrIsAnswered) {
  world_.tools.silent = false;
  for (int tasks = 0; tasks < 12; ++tasks) {
    const std::string id = "r" + std::to_string(tasks);
    FakeReply later = FakeReply::text("Later.");
    later.holds = true;
    world_.models.model->replies = {later};
    started_.reset();
    cancelled_.reset();
    world_.service->start(request(id, "s-" + id), world_.scheduler, into(started_));
    for (int i = 0; i < tasks; ++i) world_.scheduler.run_one();
    world_.service->cancel("alice", id, world_.scheduler, into(cancelled_));
    world_.scheduler.advance(core::Millis(200));
    ASSERT_TRUE(cancelled_ && *cancelled_) << tasks << " tasks: not answered as cancelled";
    EXPECT_EQ((*cancelled_)->state, RunState::cancelled) << tasks;
    EXPECT_TRUE(started_) << tasks;
    ASSERT_TRUE(world_.find(id)) << tasks;
    EXPECT_EQ(world_.find(id)->state, RunState::cancelled) << tasks;
    EXPECT_EQ(world_.service->counts().live, 0U) << tasks;
    world_.models.model->drop_held();
  }
}

TEST_F(CancelAtLaunch, OtherOwner_CancelsNothing) {
  world_.service->start(request("r"), world_.scheduler, into(started_));
  world_.scheduler.run_ready();
  world_.service->cancel("bob", "r", world_.scheduler, into(cancelled_));
  world_.scheduler.run_ready();
  ASSERT_TRUE(cancelled_ && !*cancelled_);
  EXPECT_EQ(cancelled_->error().code, core::Code::not_found);
  EXPECT_EQ(world_.service->counts().live, 1U);
}

TEST_F(CancelAtLaunch, NextRun_GoesOnWithConversation) {
  world_.tools.silent = false;
  world_.models.model->replies = {FakeReply::text("Hello, Alice.")};
  ASSERT_TRUE(world_.start("I am Alice.", "s1"));
  world_.tools.silent = true;
  world_.service->start(request("r"), world_.scheduler, into(started_));
  world_.scheduler.run_ready();
  world_.service->cancel("alice", "r", world_.scheduler, into(cancelled_));
  world_.scheduler.run_ready();
  world_.tools.silent = false;
  world_.models.model->replies = {FakeReply::text("Alice.")};
  ASSERT_TRUE(world_.start("Who am I?", "s1"));
  EXPECT_THAT(world_.models.model->requests.back().messages, SizeIs(testing::Ge(3U)));
}

// The process ends after each step of the launch once.
TEST_F(CancelAtLaunch, KillAtEachStep_KeepsConversation) {
  world_.tools.silent = false;
  for (int tasks = 0; tasks < 12; ++tasks) {
    const std::string number = std::to_string(tasks);
    world_.models.model->replies = {FakeReply::text("Hello, Alice.")};
    ASSERT_TRUE(world_.start("I am Alice.", "s" + number));
    FakeReply later = FakeReply::text("Later.");
    later.holds = true;
    world_.models.model->replies = {later};
    world_.service->start(request("r" + number, "s" + number), world_.scheduler, into(started_));
    for (int i = 0; i < tasks; ++i) world_.scheduler.run_one();
    world_.restart();
    const auto found = world_.find("r" + number);
    if (found) {
      EXPECT_EQ(found->state, found->first_seq == 0 ? RunState::failed : RunState::interrupted);
    }
    world_.models.model->replies = {FakeReply::text("Alice.")};
    ASSERT_TRUE(world_.start("Who am I?", "s" + number)) << number;
    const auto& sent = world_.models.model->requests.back().messages;
    ASSERT_GE(sent.size(), 4U) << number;
    EXPECT_EQ(sent.at(1).content, "I am Alice.") << number;
  }
}

TEST_F(CancelAtLaunch, CancelledResume_LeavesRunResumable) {
  world_.tools.silent = false;
  const auto run = world_.start_held("One", "s1");
  ASSERT_TRUE(run);
  world_.restart();
  world_.tools.silent = true;
  world_.service->resume({"alice", run->id, {}}, world_.scheduler, into(started_));
  world_.scheduler.run_ready();
  world_.service->cancel("alice", run->id, world_.scheduler, into(cancelled_));
  world_.scheduler.run_ready();
  expect_cancelled();
  EXPECT_EQ(world_.find(run->id)->state, RunState::interrupted);
  world_.tools.silent = false;
  world_.models.model->replies = {FakeReply::text("Now.")};
  ASSERT_TRUE(world_.resume(run->id));
  EXPECT_EQ(world_.find(run->id)->reply, "Now.");
}

}  // namespace
}  // namespace parley::run
