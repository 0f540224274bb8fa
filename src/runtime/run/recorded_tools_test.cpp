// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/recorded_tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/session/approval.h"
#include "tests/support/run/run_world.h"
#include "tests/support/session/test_actors.h"

namespace parley::run {
namespace {

using agent::testing::FakeReply;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const model::ToolSpec kReadFile{"readFile", "Reads.", R"({"type":"object"})"};

TEST(RecordedTools, KeptTools_RoundTrip) {
  const RecordedTools tools{{{"echo", "mcp:\"a\""}}, {kReadFile}, {"workflow_get"}};
  const RecordedTools read = read_recorded_tools(write_recorded_tools(tools));
  EXPECT_EQ(read.allowed, tools.allowed);
  ASSERT_THAT(read.client_tools, SizeIs(1));
  EXPECT_EQ(read.client_tools[0].parameters, kReadFile.parameters);
  EXPECT_EQ(read.gone, tools.gone);
  EXPECT_TRUE(read_recorded_tools("").empty());
  EXPECT_TRUE(read_recorded_tools("[").empty());
}

TEST(RecordedTools, TooLarge_AreKeptByName) {
  RecordedTools tools;
  tools.client_tools = {{"big", std::string(kMaxKeptToolBytes, 'x'), "{}"}};
  const RecordedTools read = read_recorded_tools(write_recorded_tools(tools));
  EXPECT_THAT(read.client_tools, IsEmpty());
  EXPECT_THAT(read.gone, ElementsAre("big"));
}

class ResumedTools : public ::testing::Test {
 protected:
  ResumedTools() {
    echo_->approval = tool::Approval::ask;
    world_.tools.tools.add(echo_);
  }
  // Starts a run that waits for its model, with tools of its own and of its client.
  core::Result<run::Run> start() {
    FakeReply later = FakeReply::text("Later.");
    later.holds = true;
    world_.models.model->replies.push_back(later);
    RunRequest request;
    request.session = "s1";
    request.dialect = kChatDialect;
    request.message = model::Message::user("Go");
    request.client_tools = {kReadFile};
    request.allowed_tools = allowed_;
    request.own_tools = [](const AskClient& /*ask*/) {
      return std::vector<tool::ToolPtr>{agent::testing::echo_tool("own")};
    };
    return world_.start(std::move(request));
  }
  // As after kill -9; the model then gives these replies.
  void resume(const run::Run& run, std::deque<FakeReply> replies) {
    world_.restart();
    world_.models.model->replies = std::move(replies);
    ASSERT_TRUE(world_.resume(run.id));
  }
  std::vector<session::InteractionPtr> pending() {
    session::Session* session = world_.hub->shard(0).find("s1");
    return session == nullptr ? std::vector<session::InteractionPtr>() : session->pending();
  }
  void answer(const session::Answer& answer) {
    world_.hub->shard(0).find("s1")->answer(pending().at(0)->key, answer,
                                            session::person("tab", "Alice"), nullptr);
    world_.scheduler.run_ready();
  }

  RunWorld world_;
  std::shared_ptr<agent::testing::FakeTool> echo_ = agent::testing::echo_tool();
  AllowedTools allowed_;
};

TEST_F(ResumedTools, ClientTools_AreOfferedAgain) {
  const auto run = start();
  ASSERT_TRUE(run);
  resume(*run, {FakeReply::call("c1", "readFile", "{}"), FakeReply::text("Done.")});
  ASSERT_THAT(pending(), SizeIs(1));
  EXPECT_EQ(pending()[0]->kind, session::InteractionKind::client_tool_call);
  answer(client_answer(tool::ToolResult::ok("It says hello.")));
  EXPECT_THAT(world_.models.model->requests.back().messages.back().content,
              HasSubstr("It says hello."));
}

TEST_F(ResumedTools, ToolsMadeForRun_AreGone_InWords) {
  const auto run = start();
  ASSERT_TRUE(run);
  resume(*run, {FakeReply::call("c1", "own", R"({"text":"x"})"), FakeReply::text("Done.")});
  EXPECT_THAT(world_.models.model->requests.back().messages.back().content,
              AllOf(HasSubstr("'own'"), HasSubstr("not available since the run was interrupted")));
  std::vector<std::string> notices;
  for (const event::Event& event : world_.store.events("s1")) {
    if (event.type == "custom") notices.push_back(event.payload);
  }
  EXPECT_THAT(notices, Contains(AllOf(HasSubstr("notices"), HasSubstr("own"))));
}

TEST_F(ResumedTools, AllowedTools_AreNotAskedAbout) {
  allowed_ = {{"echo", "builtin"}};
  const auto run = start();
  ASSERT_TRUE(run);
  resume(*run, {FakeReply::call("c1", "echo", R"({"text":"x"})"), FakeReply::text("Done.")});
  EXPECT_THAT(echo_->calls, ElementsAre("c1"));
}

TEST_F(ResumedTools, ClientToolsNowOnServer_AreTakenFromServer) {
  const auto run = start();
  ASSERT_TRUE(run);
  world_.tools.tools.add(agent::testing::echo_tool("readFile"));
  resume(*run, {FakeReply::call("c1", "readFile", R"({"text":"x"})"), FakeReply::text("Done.")});
  EXPECT_THAT(world_.models.model->requests.back().messages.back().content, HasSubstr("echo: x"));
}

TEST_F(ResumedTools, ToolAllowedForRun_StaysAllowed) {
  world_.models.model->replies = {FakeReply::call("c1", "echo", R"({"text":"x"})")};
  const auto run = start();
  ASSERT_TRUE(run);
  answer(session::approval_answer({true, "", true}));
  EXPECT_THAT(echo_->calls, ElementsAre("c1"));
  resume(*run, {FakeReply::call("c2", "echo", R"({"text":"x"})"), FakeReply::text("Done.")});
  EXPECT_THAT(echo_->calls, ElementsAre("c1", "c2"));
}

TEST_F(ResumedTools, NoTools_NothingIsKept) {
  FakeReply later = FakeReply::text("Later.");
  later.holds = true;
  world_.models.model->replies = {later};
  const auto run = world_.start("Go", "s2");
  ASSERT_TRUE(run);
  auto index = RunIndex::open(world_.data_folder());
  ASSERT_TRUE(index);
  EXPECT_EQ(*(*index)->recorded_tools(run->id), "");
}

}  // namespace
}  // namespace parley::run
