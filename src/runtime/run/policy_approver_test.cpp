// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/policy_approver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/run/run_world.h"
#include "session/approval.h"

namespace parley::run {
namespace {

using agent::testing::FakeReply;
using testing::ElementsAre;
using testing::IsEmpty;

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
    session->answer(session->pending()[0]->key, session::approval_answer(verdict), {"tab", "Alice"},
                    nullptr);
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
  tool_->source_name = "mcp:files";
  tool_->identity_name = "mcp:files@d2";
  start({{"echo", "mcp:files@d1"}, {"echo", "mcp:files"}});
  EXPECT_THAT(tool_->calls, IsEmpty()) << "a permission without a digest is no permission";
  answer({true, "", true});
  EXPECT_THAT(tool_->calls, ElementsAre("c1", "c2"));
}

TEST_F(AllowedToolsTest, DeniedTool_StaysDenied) {
  tool_->approval = tool::Approval::deny;
  start({{"echo", "builtin"}});
  EXPECT_THAT(tool_->calls, IsEmpty());
}

}  // namespace
}  // namespace parley::run
