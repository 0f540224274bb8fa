// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/policy_approver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/session/approval.h"
#include "runtime/run/approval_question.h"
#include "tests/support/run/run_world.h"
#include "tests/support/session/test_actors.h"

namespace parley::run {
namespace {

using agent::testing::FakeReply;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class AllowedToolsTest : public ::testing::Test {
 protected:
  AllowedToolsTest() {
    tool_->approval = tool::Approval::ask;
    world_.tools.tools.add(tool_);
    world_.models.model->replies = {FakeReply::call("c1", "echo", R"({"text":"hi"})"),
                                    FakeReply::call("c2", "echo", R"({"text":"ho"})"),
                                    FakeReply::text("Done.")};
  }
  void start(AllowedTools allowed, const std::string& agent = "react") {
    RunRequest request;
    request.session = "s1";
    request.agent = agent;
    request.message = model::Message::user("Call it twice");
    request.allowed_tools = std::move(allowed);
    ASSERT_TRUE(world_.start(std::move(request)));
  }
  void answer(const session::ApprovalVerdict& verdict) {
    session::Session* session = world_.hub->shard(0).find("s1");
    ASSERT_EQ(session->pending().size(), 1U);
    session->answer(session->pending()[0]->key, session::approval_answer(verdict),
                    session::person("tab", "Alice"), nullptr);
    world_.scheduler.run_ready();
  }

  RunWorld world_;
  std::shared_ptr<agent::testing::FakeTool> tool_ = agent::testing::echo_tool();
};

TEST_F(AllowedToolsTest, AllowedOnce_IsAskedAgain) {
  start({});
  answer({true, ""});
  EXPECT_THAT(tool_->calls, ElementsAre("c1"));
}

TEST_F(AllowedToolsTest, AllowedForRun_IsNotAskedAgain) {
  start({});
  answer({true, "", true});
  EXPECT_THAT(tool_->calls, ElementsAre("c1", "c2"));
}

TEST_F(AllowedToolsTest, AllowedByRequest_IsNotAsked) {
  start({{"echo", "builtin"}});
  EXPECT_THAT(tool_->calls, ElementsAre("c1", "c2"));
}

TEST_F(AllowedToolsTest, ToolOfSameNameOnOtherServer_IsAsked) {
  start({{"echo", "mcp:files"}});
  EXPECT_THAT(tool_->calls, IsEmpty());
}

TEST_F(AllowedToolsTest, OtherProgramUnderSameName_IsAsked) {
  tool_->shown_source_name = "mcp:files";
  tool_->identity_name = "mcp:files@d2";
  start({{"echo", "mcp:files@d1"}, {"echo", "mcp:files"}});
  EXPECT_THAT(tool_->calls, IsEmpty()) << "a permission without a digest is no permission";
  answer({true, "", true});
  EXPECT_THAT(tool_->calls, ElementsAre("c1", "c2"));
}

TEST_F(AllowedToolsTest, AnswerWithoutDecision_DoesNotRun_ModelIsTold) {
  start({});
  session::Session* session = world_.hub->shard(0).find("s1");
  session::Answer answer;
  answer.contents.emplace_back().text = "OK";
  session->answer(session->pending()[0]->key, answer, session::person("tab", "Alice"), nullptr);
  world_.scheduler.run_ready();
  EXPECT_THAT(tool_->calls, IsEmpty());
  std::string told;
  for (const event::Event& event : world_.store.events("s1")) told += event.payload;
  EXPECT_THAT(told, HasSubstr("neither allows nor denies"));
}

TEST_F(AllowedToolsTest, Question_ShowsAllArguments) {
  const std::string text = "echo harmless" + std::string(20'000, ' ') + "; touch C";
  world_.models.model->replies = {FakeReply::call("c1", "echo", R"({"text":")" + text + R"("})"),
                                  FakeReply::text("Done.")};
  start({});
  const auto asked = world_.hub->shard(0).find("s1")->pending();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_THAT(asked[0]->prompt.text, HasSubstr("; touch C"));
}

TEST_F(AllowedToolsTest, ArgumentsBeyondQuestion_AreRefused) {
  const std::string text(kMaxAskedBytes, 'x');
  world_.models.model->replies = {FakeReply::call("c1", "echo", R"({"text":")" + text + R"("})"),
                                  FakeReply::text("Done.")};
  start({});
  EXPECT_THAT(tool_->calls, IsEmpty());
  std::string told;
  for (const event::Event& event : world_.store.events("s1")) told += event.type + event.payload;
  EXPECT_THAT(told, HasSubstr("too many for a person to be asked"));
  EXPECT_THAT(told, Not(HasSubstr("interaction.opened")));
}

TEST_F(AllowedToolsTest, DeniedTool_StaysDenied) {
  tool_->approval = tool::Approval::deny;
  start({{"echo", "builtin"}});
  EXPECT_THAT(tool_->calls, IsEmpty());
}

}  // namespace
}  // namespace parley::run
