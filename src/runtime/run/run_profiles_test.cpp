// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Settings of a profile apply to its runs and to sub-agents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/run/run_world.h"

namespace parley::run {
namespace {

using agent::testing::FakeReply;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Writes a profile into the working folder of the world's runs, as if it came with a checkout.
class FolderProfiles : public ::testing::Test {
 protected:
  FolderProfiles() {
    std::filesystem::create_directory(folder_.file("work"));
    world_.options.folders = {folder_.file("work")};
    world_.restart();
    world_.tools.tools.add(tool_);
    tool_->approval = tool::Approval::ask;
  }
  void put(const std::string& file, const std::string& text) {
    const std::filesystem::path path = folder_.file("work/.loom/agents/" + file);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  core::Result<run::Run> start(const std::string& agent) {
    RunRequest request;
    request.message = model::Message::user("Go");
    request.agent = agent;
    request.session = "s1";
    request.working_folder = folder_.file("work");
    world_.models.model->replies = {FakeReply::call("c1", "echo", R"({"text":"hi"})"),
                                    FakeReply::text("Said.")};
    return world_.start(std::move(request));
  }
  std::string notices() const {
    for (const event::Event& event : world_.store.events("s1")) {
      if (event.payload.find("\"notices\"") != std::string::npos) return event.payload;
    }
    return {};
  }

  core::TempFolder folder_{"parley-checkout"};
  const std::shared_ptr<agent::testing::FakeTool> tool_ = agent::testing::echo_tool();
  RunWorld world_;
};

TEST_F(FolderProfiles, ProfileOfFolder_DoesNotApprove_IsTold) {
  put("react.toml", R"(approvals = {echo = "auto", "*" = "auto"})");
  const auto run = start("react");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(world_.find(run->id)->state, RunState::waiting) << "a person is asked";
  EXPECT_THAT(tool_->calls, IsEmpty());
  EXPECT_THAT(notices(), HasSubstr("is that of the working folder"));
  EXPECT_THAT(notices(), HasSubstr("may not approve tools by itself"));
}

TEST_F(FolderProfiles, ProfileOfTrustedFolder_Approves) {
  world_.options.folder_approvals = agent::FolderApprovals::trusted;
  world_.restart();
  put("react.toml", R"(approvals = {echo = "auto"})");
  ASSERT_TRUE(start("react"));
  EXPECT_THAT(tool_->calls, SizeIs(1));
  EXPECT_EQ(notices(), "");
}

TEST_F(FolderProfiles, ProfilesOfSubAgents_AreToldToo) {
  put("explore.toml", "");
  RunRequest request;
  request.message = model::Message::user("Go");
  request.session = "s1";
  request.working_folder = folder_.file("work");
  const std::string order =
      R"({"agents":[{"agent":"explore","task":"T"},{"agent":"explore","task":"U"}]})";
  world_.models.model->replies = {FakeReply::call("c1", "invoke_agent", order),
                                  FakeReply::text("Said."), FakeReply::text("Said."),
                                  FakeReply::text("Done.")};
  ASSERT_TRUE(world_.start(std::move(request)));
  EXPECT_THAT(notices(), HasSubstr("The agent 'explore' is that of the working folder"));
  EXPECT_EQ(std::ranges::count_if(world_.store.events("s1"),
                                  [](const event::Event& event) {
                                    return event.payload.find("notices") != std::string::npos;
                                  }),
            1)
      << "once";
}

TEST_F(FolderProfiles, UnreadableProfile_IsNamedToCaller) {
  put("broken.yaml", "a: [");
  const auto refused = start("broken");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().field, "agent");
  EXPECT_THAT(refused.error().message, HasSubstr("work/.loom/agents/broken.yaml: "));
  ASSERT_TRUE(start("react")) << "another one goes on";
  EXPECT_THAT(notices(), HasSubstr("A profile cannot be read: "));
  EXPECT_THAT(notices(), HasSubstr("broken.yaml"));
}

// --- enforced settings -----------------------------------------------------------------------

TEST_F(FolderProfiles, RoleAndTools_ApplyToRun) {
  world_.tools.tools.add(agent::testing::echo_tool("other"));
  put("narrow.toml", "role = \"You are narrow.\"\ntools_allowed = [\"other\"]\nkind = \"dup\"");
  RunRequest request;
  request.message = model::Message::user("Go");
  request.agent = "narrow";
  request.session = "s1";
  request.working_folder = folder_.file("work");
  world_.models.model->replies = {FakeReply::text("{}"),
                                  FakeReply::call("c1", "echo", R"({"text":"hi"})"),
                                  FakeReply::text("Well.")};
  const auto run = world_.start(std::move(request));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->kind, "dup");
  EXPECT_THAT(tool_->calls, IsEmpty());
  const auto& asked = world_.models.model->requests;
  EXPECT_THAT(asked.at(1).messages.front().content, HasSubstr("You are narrow."));
  ASSERT_THAT(asked.at(1).tools, SizeIs(1));
  EXPECT_EQ(asked.at(1).tools.front().name, "other");
  EXPECT_THAT(asked.back().messages.back().content, HasSubstr("There is no tool 'echo'"));
}

TEST_F(FolderProfiles, DeniedTool_IsDeniedWhateverRunSays) {
  put("strict.toml", R"(approvals = {echo = "deny"})");
  RunRequest request;
  request.message = model::Message::user("Go");
  request.agent = "strict";
  request.session = "s1";
  request.working_folder = folder_.file("work");
  request.approvals = tool::Approval::automatic;
  request.leave.automatic = true;
  world_.models.model->replies = {FakeReply::call("c1", "echo", R"({"text":"hi"})"),
                                  FakeReply::text("Well.")};
  ASSERT_TRUE(world_.start(std::move(request)));
  EXPECT_THAT(tool_->calls, IsEmpty());
  EXPECT_THAT(world_.models.model->requests.back().messages.back().content,
              HasSubstr("does not allow"));
}

TEST_F(FolderProfiles, StepLimit_EndsRunInWords) {
  put("short.toml", "max_steps = 1");
  tool_->approval = tool::Approval::automatic;
  const auto run = start("short");
  ASSERT_TRUE(run);
  EXPECT_EQ(world_.find(run->id)->state, RunState::failed);
  EXPECT_THAT(world_.find(run->id)->error, HasSubstr("limit of 1 steps"));
}

TEST_F(FolderProfiles, TimeLimitOfRun_EndsRunInWords) {
  put("quick.toml", "timeout = \"90s\"");
  const auto run = start("quick");
  ASSERT_TRUE(run);
  world_.scheduler.advance(std::chrono::seconds(89));
  EXPECT_EQ(world_.find(run->id)->state, RunState::waiting);
  world_.scheduler.advance(std::chrono::seconds(2));
  EXPECT_EQ(world_.find(run->id)->state, RunState::failed);
  EXPECT_EQ(world_.find(run->id)->error, "The timeout of this run has expired.");
}

TEST_F(FolderProfiles, TimeLimitOfSubAgent_EndsOnlySubAgent) {
  put("quick.toml", "timeout = \"90s\"");
  RunRequest request;
  request.message = model::Message::user("Go");
  request.session = "s1";
  request.working_folder = folder_.file("work");
  FakeReply slow = FakeReply::text("Later.");
  slow.holds = true;
  world_.models.model->replies = {
      FakeReply::call("c1", "invoke_agent", R"({"agents":[{"agent":"quick","task":"T"}]})"), slow,
      FakeReply::text("It took too long.")};
  const auto run = world_.start(std::move(request));
  ASSERT_TRUE(run);
  world_.scheduler.advance(std::chrono::seconds(89));
  EXPECT_EQ(world_.find(run->id)->state, RunState::running);
  world_.scheduler.advance(std::chrono::seconds(2));
  EXPECT_EQ(world_.find(run->id)->reply, "It took too long.");
  EXPECT_THAT(world_.models.model->requests.back().messages.back().content,
              HasSubstr("The timeout of the sub-agent has expired."));
}

TEST_F(FolderProfiles, SubAgent_CannotDelegateForbiddenTools) {
  world_.tools.tools.add(agent::testing::echo_tool("secret"));
  put("boss.toml", "tools_allowed = [\"echo\", \"invoke_agent\"]\napprovals = {echo = \"deny\"}");
  put("helper.toml", R"(approvals = {echo = "ask"})");
  RunRequest request;
  request.message = model::Message::user("Go");
  request.session = "s1";
  request.working_folder = folder_.file("work");
  const auto order = [](const std::string& agent) {
    return R"({"agents":[{"agent":")" + agent + R"(","task":"T"}]})";
  };
  world_.models.model->replies = {FakeReply::call("c1", "invoke_agent", order("boss")),
                                  FakeReply::call("c2", "invoke_agent", order("helper")),
                                  FakeReply::call("c3", "echo", R"({"text":"hi"})"),
                                  FakeReply::text("Helped."),
                                  FakeReply::text("Led."),
                                  FakeReply::text("Done.")};
  const auto run = world_.start(std::move(request));
  ASSERT_TRUE(run);
  EXPECT_EQ(world_.find(run->id)->reply, "Done.");
  EXPECT_THAT(tool_->calls, IsEmpty());
  const auto& asked = world_.models.model->requests;
  ASSERT_THAT(asked, SizeIs(6));
  EXPECT_THAT(asked[2].tools, SizeIs(2)) << "the helper has no tool that the boss has not";
  EXPECT_THAT(asked[3].messages.back().content, HasSubstr("does not allow"));
}

TEST_F(FolderProfiles, WaitingSubAgent_IsReleasedWithServer) {
  put("quick.toml", "timeout = \"90s\"");
  RunRequest request;
  request.message = model::Message::user("Go");
  request.session = "s1";
  request.working_folder = folder_.file("work");
  world_.models.model->replies = {
      FakeReply::call("c1", "invoke_agent", R"({"agents":[{"agent":"quick","task":"T"}]})"),
      FakeReply::call("c2", "echo", R"({"text":"hi"})")};
  const auto run = world_.start(std::move(request));
  ASSERT_TRUE(run);
  EXPECT_EQ(world_.find(run->id)->state, RunState::waiting);
  world_.restart();
  EXPECT_EQ(world_.find(run->id)->state, RunState::interrupted);
  EXPECT_THAT(tool_->calls, IsEmpty());
}

}  // namespace
}  // namespace parley::run
