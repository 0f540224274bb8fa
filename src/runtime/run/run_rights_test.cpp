// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the permissions of a run's caller: folders, approvals, sessions of others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/run/run_world.h"

namespace parley::run {
namespace {

namespace fs = std::filesystem;

using core::Code;

RunRequest request_in(const std::string& folder) {
  RunRequest request;
  request.message = model::Message::user("Go");
  request.working_folder = folder;
  return request;
}

Code code_of(const core::Result<Run>& run) { return run ? Code::unknown : run.error().code; }

TEST(RunRights, FolderOutsideSettings_NeedsRight_StaysHidden) {
  RunWorld world;
  const core::TempFolder other{"parley-other"};
  fs::create_directories(world.folder() + "/below");
  fs::create_directory_symlink(other.path(), world.folder() + "/link");
  EXPECT_TRUE(world.start(request_in("")));
  EXPECT_TRUE(world.start(request_in(world.folder() + "/below")));
  for (const std::string& outside :
       {other.path(), other.path() + "/missing", world.folder() + "/link",
        world.folder() + "/below/../..", world.folder() + "x", std::string("/")}) {
    const auto run = world.start(request_in(outside));
    EXPECT_EQ(code_of(run), Code::permission_denied) << outside;
    EXPECT_EQ(run.error().field, "rights") << outside;
  }
  RunRequest anywhere = request_in(other.path());
  anywhere.leave.any_folder = true;
  EXPECT_TRUE(world.start(std::move(anywhere)));
}

TEST(RunRights, FoldersOfSettings_AreOpen) {
  RunWorld world;
  const core::TempFolder other{"parley-other"};
  world.options.folders = {other.path()};
  world.restart();
  EXPECT_TRUE(world.start(request_in(other.path())));
  EXPECT_TRUE(world.start(request_in(world.folder())));
  EXPECT_EQ(code_of(world.start(request_in("/"))), Code::permission_denied);
}

TEST(RunRights, AutomaticApproval_NeedsLeave_AlsoToGoOn) {
  RunWorld world;
  RunRequest request = request_in("");
  request.approvals = tool::Approval::automatic;
  const auto refused = world.start(request);
  EXPECT_EQ(code_of(refused), Code::permission_denied);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("run-auto"));
  request.leave.automatic = true;
  agent::testing::FakeReply later = agent::testing::FakeReply::text("Later.");
  later.holds = true;
  world.models.model->replies = {later};
  const auto run = world.start(request);
  ASSERT_TRUE(run);
  world.restart();
  EXPECT_EQ(code_of(world.resume(run->id)), Code::permission_denied);
}

TEST(RunRights, SessionOfForeignStartingRun_AnswersAsTakenId) {
  using Started = core::Result<parley::run::Run>;
  RunWorld world;
  std::vector<Started> out;
  for (const char* owner : {"alice", "bob"}) {
    RunRequest request = request_in("");
    request.owner = owner;
    request.session = "s1";
    world.service->start(std::move(request), world.scheduler,
                         [&](Started run) { out.push_back(std::move(run)); });
  }
  world.scheduler.run_ready();
  ASSERT_EQ(out.size(), 2U);
  const Started& refused = out[0] ? out[1] : out[0];
  EXPECT_NE(out[0].has_value(), out[1].has_value());
  EXPECT_EQ(code_of(refused), Code::already_exists);
  EXPECT_THAT(refused.error().message, testing::Not(testing::HasSubstr("run")));
}

TEST(RunRights, SessionOfOtherToken_AnswersAsTakenId) {
  using Started = core::Result<parley::run::Run>;
  RunWorld world;
  ASSERT_TRUE(world.start("Mine", "s1"));
  std::optional<Started> out;
  RunRequest request = request_in("");
  request.owner = "bob";
  request.session = "s1";
  world.service->start(std::move(request), world.scheduler,
                       [&](Started run) { out = std::move(run); });
  world.scheduler.run_ready();
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(code_of(*out), Code::already_exists);
  EXPECT_THAT(out->error().message, testing::Not(testing::HasSubstr("token")));
}

}  // namespace
}  // namespace parley::run
