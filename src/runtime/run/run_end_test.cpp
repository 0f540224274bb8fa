// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// A client that has seen the reply of a run finds it ended, however fast it asks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "runtime/run/run_index.h"
#include "tests/support/run/run_world.h"
#include "tests/support/session/recording_participant.h"

namespace parley::run {
namespace {

using agent::testing::FakeReply;
using testing::HasSubstr;

// Acts inside the callback that shows it the reply.
class FastReader final : public session::RecordingParticipant {
 public:
  explicit FastReader(std::function<void()> act)
      : RecordingParticipant("reader"), act_(std::move(act)) {}
  void on_event(const event::Event& event) override {
    if (event.type == "reply" && act_) std::exchange(act_, {})();
  }

 private:
  std::function<void()> act_;
};

class RunEnd : public testing::Test {
 protected:
  // Starts a run with a fast reader of its reply; returns the answer to that reader.
  template <typename T>
  core::Result<T> at_the_reply(
      std::function<void(RunWorld& world, const run::Run& run, RunService::Done<T> done)> act) {
    const auto run = world_.start_held("One", "s1");
    EXPECT_TRUE(run);
    std::optional<core::Result<T>> answer;
    FastReader reader(
        [&] { act(world_, *run, [&answer](core::Result<T> out) { answer = std::move(out); }); });
    session::Session* const session = world_.hub->shard(0).find("s1");
    EXPECT_TRUE(session->join(reader));
    world_.models.model->release();
    world_.scheduler.run_ready();
    session->leave(reader);
    return answer ? std::move(*answer)
                  : core::Result<T>(core::fail(core::Code::internal, "Nothing was answered."));
  }

  RunWorld world_;
};

TEST_F(RunEnd, NextRunOfSession_MayBegin) {
  const auto next = at_the_reply<run::Run>([](RunWorld& world, const run::Run&, auto done) {
    world.models.model->replies = {FakeReply::text("Two.")};
    RunRequest request;
    request.owner = "alice";
    request.session = "s1";
    request.message = model::Message::user("Two");
    world.service->start(std::move(request), world.scheduler, std::move(done));
  });
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(world_.find(next->id)->reply, "Two.");
}

TEST_F(RunEnd, EndedRun_IsListedAsFinished) {
  const auto found = at_the_reply<run::Run>([](RunWorld& world, const run::Run& run, auto done) {
    world.service->find("alice", run.id, world.scheduler, std::move(done));
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->state, RunState::finished);
  EXPECT_EQ(found->reply, "Later.");
}

TEST_F(RunEnd, EndedRun_CannotBeCancelled) {
  const auto cancelled =
      at_the_reply<run::Run>([](RunWorld& world, const run::Run& run, auto done) {
        world.service->cancel("alice", run.id, world.scheduler, std::move(done));
      });
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, core::Code::failed_precondition);
  EXPECT_THAT(cancelled.error().message, HasSubstr("has ended"));
}

// The process ended between the reply and its row in the list.
TEST_F(RunEnd, EndOfKilledProcess_IsFoundAfterFailedReads) {
  const auto run = world_.start_held("One", "s1");
  ASSERT_TRUE(run);
  world_.models.model->release();
  while (world_.types("s1").back() != "reply") ASSERT_TRUE(world_.scheduler.run_one());
  world_.store.fail_pages(2);
  world_.restart();
  EXPECT_EQ(world_.find(run->id)->state, RunState::interrupted);
  world_.scheduler.advance(std::chrono::seconds(5));
  EXPECT_EQ(world_.find(run->id)->state, RunState::finished);
  EXPECT_EQ(world_.find(run->id)->reply, "Later.");
}

TEST_F(RunEnd, SessionOfEndedRun_CanBeDeleted) {
  const auto gone = at_the_reply<std::uint64_t>([](RunWorld& world, const run::Run&, auto done) {
    world.service->remove_session("alice", "s1", world.scheduler, std::move(done));
  });
  EXPECT_TRUE(gone) << gone.error().message;
}

TEST_F(RunEnd, EndedRun_CanBeForked) {
  const auto forked = at_the_reply<run::Run>([](RunWorld& world, const run::Run& run, auto done) {
    world.models.model->replies = {FakeReply::text("Another.")};
    ForkRequest request;
    request.owner = "alice";
    request.run_id = run.id;
    request.message = "And now?";
    world.service->fork(std::move(request), world.scheduler, std::move(done));
  });
  ASSERT_TRUE(forked) << forked.error().message;
  EXPECT_EQ(world_.find(forked->id)->reply, "Another.");
}

TEST(RunOfALostNode, IsTakenUpByTheNextHome) {
  RunWorld world;
  const auto run = world.start_held("One", "s1");
  ASSERT_TRUE(run);
  world.options.is_home = [](std::string_view) { return false; };
  world.restart();
  const auto listed = [&world, &run] {
    return (*(*RunIndex::open(world.data_folder()))->find(run->id))->state;
  };
  EXPECT_EQ(listed(), RunState::running) << "its home may still have it";
  const auto take_up = [&world](const std::string& of) {
    world.service->take_up([of](std::string_view owner) { return owner == of; });
    world.scheduler.run_ready();
  };
  take_up("bob");
  EXPECT_EQ(listed(), RunState::running);
  take_up("alice");
  EXPECT_EQ(listed(), RunState::interrupted);
  FakeReply held = FakeReply::text("Now.");
  held.holds = true;
  world.models.model->replies = {held};
  ASSERT_TRUE(world.resume(run->id));
  take_up("alice");
  EXPECT_EQ(world.find(run->id)->state, RunState::running) << "it is live here";
}

// A home took the runs up, and a client is faster than the reads of their ends.
class RunOfALostHome : public testing::Test {
 protected:
  // Ends the home: what its list has not got is lost, and the next one has read nothing yet.
  void lose_home() {
    world_.options.is_home = [](std::string_view) { return false; };
    world_.restart();
  }
  void list(const run::Run& run) {
    ASSERT_TRUE((*RunIndex::open(world_.data_folder()))->update(run, {}));
  }
  run::Run listed(const std::string& id) {
    return **(*RunIndex::open(world_.data_folder()))->find(id);
  }

  RunWorld world_;
};

TEST_F(RunOfALostHome, ThatHasItsReply_IsNotResumed) {
  const auto run = world_.start_held("One", "s1");
  ASSERT_TRUE(run);
  world_.models.model->release();
  while (world_.types("s1").back() != "reply") ASSERT_TRUE(world_.scheduler.run_one());
  lose_home();
  ASSERT_EQ(listed(run->id).state, RunState::running);
  const auto resumed = world_.resume(run->id);
  ASSERT_FALSE(resumed);
  EXPECT_THAT(resumed.error().message, HasSubstr("has finished"));
  EXPECT_EQ(listed(run->id).reply, "Later.");
  const std::vector<std::string> types = world_.types("s1");
  EXPECT_EQ(std::count(types.begin(), types.end(), "reply"), 1);
}

// The home wrote down that it lost the run, and its last commit succeeded nevertheless.
TEST_F(RunOfALostHome, ThatIsListedAsInterrupted_IsNotResumedAfterItsReply) {
  const auto run = world_.start("One", "s1");
  ASSERT_TRUE(run);
  run::Run before = listed(run->id);
  before.state = RunState::interrupted;
  before.last_seq = 0;
  before.ended_at.reset();
  list(before);
  ASSERT_FALSE(world_.resume(run->id));
  EXPECT_EQ(listed(run->id).state, RunState::finished);
  EXPECT_GT(listed(run->id).last_seq, 0U);
}

TEST_F(RunOfALostHome, WhoseBeginningIsNotListed_KeepsItWhenItIsResumed) {
  const auto run = world_.start_held("One", "s1");
  ASSERT_TRUE(run);
  const std::uint64_t first = world_.store.events("s1").front().seq;
  run::Run before = listed(run->id);
  before.first_seq = 0;
  list(before);
  lose_home();
  world_.models.model->replies = {FakeReply::text("Now.")};
  ASSERT_TRUE(world_.resume(run->id));
  EXPECT_EQ(listed(run->id).state, RunState::finished);
  EXPECT_EQ(listed(run->id).first_seq, first);
}

TEST_F(RunOfALostHome, ThatFailedOnceAndWasResumed_HasNotFailedAgain) {
  FakeReply bad;
  bad.error = core::Error{core::Code::unavailable, "The model is away."};
  world_.models.model->replies = {bad};
  const auto run = world_.start("One", "s1");
  ASSERT_TRUE(run);
  ASSERT_EQ(listed(run->id).state, RunState::failed);
  FakeReply held = FakeReply::text("Now.");
  held.holds = true;
  world_.models.model->replies = {held};
  ASSERT_TRUE(world_.resume(run->id));
  world_.restart();
  EXPECT_EQ(listed(run->id).state, RunState::interrupted);
}

TEST_F(RunOfALostHome, NextRunOfItsSession_FollowsItsReply) {
  const auto run = world_.start_held("One", "s1");
  ASSERT_TRUE(run);
  world_.models.model->release();
  while (world_.types("s1").back() != "reply") ASSERT_TRUE(world_.scheduler.run_one());
  lose_home();
  world_.models.model->replies = {FakeReply::text("Two.")};
  ASSERT_TRUE(world_.start("Two", "s1"));
  EXPECT_EQ(listed(run->id).state, RunState::finished);
}

TEST_F(RunOfALostHome, EndThatCannotBeRead_RefusesTheResume) {
  const auto run = world_.start_held("One", "s1");
  ASSERT_TRUE(run);
  lose_home();
  world_.store.fail_pages(1);
  EXPECT_FALSE(world_.resume(run->id));
  EXPECT_EQ(listed(run->id).state, RunState::running) << "its end is not known";
}

TEST_F(RunOfALostHome, WhoseFolderIsNotThere_WaitsForIt) {
  const std::string folder = world_.folder() + "/shop";
  std::filesystem::create_directories(folder);
  FakeReply held = FakeReply::text("Later.");
  held.holds = true;
  world_.models.model->replies = {held};
  RunRequest request;
  request.message = model::Message::user("One");
  request.working_folder = folder;
  const auto run = world_.start(std::move(request));
  ASSERT_TRUE(run);
  std::filesystem::remove(folder);
  world_.options.node = "b";
  world_.restart();
  const auto refused = world_.resume(run->id);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("/shop\" does not exist on the node \"b\""));
  EXPECT_EQ(listed(run->id).state, RunState::interrupted);
  std::filesystem::create_directories(folder);
  world_.models.model->replies = {FakeReply::text("Now.")};
  ASSERT_TRUE(world_.resume(run->id));
  EXPECT_EQ(listed(run->id).reply, "Now.");
}

}  // namespace
}  // namespace parley::run
