// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/core/temp_folder.h"
#include "tests/support/api/api_world.h"
#include "tests/support/run/run_world.h"

namespace parley::api {
namespace {

using agent::testing::FakeReply;
using ::testing::HasSubstr;
using testing::Reply;
using testing::World;

// The API of a server that runs agents, with a scripted model.
class RunSessionApi : public ::testing::Test {
 protected:
  RunSessionApi() : inbox_(world_.hub()) {
    run::RunOptions options;
    options.working_folder = options.home = directory_.path();
    options.data_dir = directory_.file("data");
    std::filesystem::create_directories(options.data_dir);
    auto opened = run::LocalRunService::open(
        options, {world_.hub(), world_.store(), clock_, entropy_, models_, tools_, inbox_},
        world_.shard(0));
    service_ = std::move(*opened);
    world_.set_runs(*service_);
  }
  ~RunSessionApi() override {
    world_.hub().shut_down();
    world_.settle();
  }

  Reply start(const std::string& message, const std::string& session) {
    return world_.call("POST", "/v1/runs", "alice",
                       R"({"message":")" + message + R"(","session_id":")" + session + "\"}");
  }

  core::TempFolder directory_;
  core::FakeClock clock_;
  core::SeededEntropy entropy_{3};
  run::OneModel models_;
  run::FixedTools tools_;
  World world_;
  tool::SessionInbox inbox_;
  std::unique_ptr<run::LocalRunService> service_;
};

TEST_F(RunSessionApi, Sessions_AreVisibleOnlyToOwner) {
  models_.model->replies = {FakeReply::text("One."), FakeReply::text("Two.")};
  ASSERT_EQ(start("First", "s1").status(), 201);
  ASSERT_EQ(start("Second", "s2").status(), 201);
  const auto all = world_.call("GET", "/v1/run-sessions", "alice").json();
  ASSERT_EQ(all.at("sessions").as_array().size(), 2U);
  EXPECT_EQ(all.at("sessions").at(0).at("session_id"), "s2");
  EXPECT_GE(all.at("sessions").at(0).at("checkpoint_count").to_number<int>(), 2);
  const auto one = world_.call("GET", "/v1/run-sessions/s1", "alice").json();
  EXPECT_EQ(one.at("first_user_message"), "First");
  EXPECT_EQ(one.at("last_assistant_reply"), "One.");
  EXPECT_EQ(one.at("message_count"), 3);
  EXPECT_EQ(one.at("latest_source"), "loop");
  EXPECT_TRUE(
      world_.call("GET", "/v1/run-sessions", "bob").json().at("sessions").as_array().empty());
  EXPECT_EQ(world_.call("GET", "/v1/run-sessions/s1", "bob").status(), 404);
  EXPECT_EQ(world_.call("GET", "/v1/run-sessions", "").status(), 401);
  EXPECT_EQ(world_.call("GET", "/v1/run-sessions?limit=0", "alice").status(), 400);
}

TEST_F(RunSessionApi, Owner_DeletesSession) {
  models_.model->replies = {FakeReply::text("One.")};
  const std::string run(start("First", "s1").json().at("id").as_string());
  EXPECT_EQ(world_.call("DELETE", "/v1/run-sessions/s1", "bob").status(), 404);
  const auto before = world_.call("GET", "/v1/run-sessions/s1", "alice").json();
  const Reply gone = world_.call("DELETE", "/v1/run-sessions/s1", "alice");
  ASSERT_EQ(gone.status(), 200);
  EXPECT_EQ(gone.json().at("session_id"), "s1");
  EXPECT_EQ(gone.json().at("deleted_checkpoints"), before.at("checkpoint_count"));
  EXPECT_EQ(world_.call("GET", "/v1/run-sessions/s1", "alice").status(), 404);
  EXPECT_EQ(world_.call("GET", "/v1/runs/" + run, "alice").status(), 404);
  EXPECT_EQ(world_.call("DELETE", "/v1/run-sessions/s1", "alice").status(), 404);
}

TEST_F(RunSessionApi, SessionWithActiveRun_IsNotDeleted) {
  FakeReply slow = FakeReply::text("Later.");
  slow.holds = true;
  models_.model->replies = {slow};
  const std::string run(start("First", "s1").json().at("id").as_string());
  const Reply refused = world_.call("DELETE", "/v1/run-sessions/s1", "alice");
  EXPECT_EQ(refused.status(), 409);
  EXPECT_THAT(refused.response->body, HasSubstr(run));
  EXPECT_EQ(world_.call("GET", "/v1/runs/" + run, "alice").json().at("state"), "running");
}

TEST_F(RunSessionApi, UnreadableProfile_IsNamedToCaller) {
  std::filesystem::create_directories(directory_.file(".loom/agents"));
  std::ofstream(directory_.file(".loom/agents/mine.yaml")) << "a: [";
  const Reply refused =
      world_.call("POST", "/v1/runs", "alice", R"({"message":"Go","agent":"mine"})");
  EXPECT_EQ(refused.status(), 400);
  EXPECT_THAT(refused.response->body, HasSubstr(".loom/agents/mine.yaml: "));
  EXPECT_THAT(refused.response->body, HasSubstr(R"("field":"agent")"));
  const auto agents = world_.call("GET", "/v1/agents", "alice").json();
  EXPECT_EQ(agents.at("problems").as_array().size(), 1U);
}

TEST_F(RunSessionApi, DryRun_IsMarked) {
  models_.model->replies = {FakeReply::text("One.")};
  const Reply begun = world_.call("POST", "/v1/runs", "alice", R"({"message":"First","dry":true})");
  ASSERT_EQ(begun.status(), 201);
  EXPECT_EQ(begun.json().at("dry"), true);
}

}  // namespace
}  // namespace parley::api
