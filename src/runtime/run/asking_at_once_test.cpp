// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Several calls of one reply: people are asked about all of them at the same time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/session/approval.h"
#include "tests/support/run/run_world.h"
#include "tests/support/session/test_actors.h"

namespace parley::run {
namespace {

using agent::testing::FakeReply;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

model::ToolCall echo_call(const std::string& id) { return {id, "echo", R"({"text":"hi"})"}; }
model::ToolCall read_call(const std::string& id) { return {id, "readFile", "{}"}; }

class AskingAtOnce : public ::testing::Test {
 protected:
  AskingAtOnce() {
    tool_->approval = tool::Approval::ask;
    world_.tools.tools.add(tool_);
  }
  core::Result<run::Run> start(std::vector<model::ToolCall> calls) {
    FakeReply reply;
    reply.calls = std::move(calls);
    world_.models.model->replies = {reply, FakeReply::text("Done.")};
    RunRequest request;
    request.session = "s1";
    request.dialect = kChatDialect;
    request.message = model::Message::user("Call them");
    request.client_tools = {{"readFile", "", R"({"type":"object"})"}};
    return world_.start(std::move(request));
  }
  session::Session* session() { return world_.hub->shard(0).find("s1"); }
  // Ids of the calls in question, in the order of the questions.
  std::vector<std::string> asked() {
    std::vector<std::string> out;
    if (session() == nullptr) return out;
    for (const auto& each : session()->pending()) {
      out.push_back(each->key.substr(each->key.rfind('/') + 1));
    }
    return out;
  }
  void answer(const std::string& call, const session::Answer& answer) {
    for (const auto& each : session()->pending()) {
      if (!each->key.ends_with("/" + call)) continue;
      session()->answer(each->key, answer, session::person("tab", "Alice"), nullptr);
      break;
    }
    world_.scheduler.run_ready();
  }
  void approve(const std::string& call, const session::ApprovalVerdict& verdict) {
    answer(call, session::approval_answer(verdict));
  }
  void tell(const std::string& call, const std::string& text) {
    answer(call, client_answer(tool::ToolResult::ok(text)));
  }
  // The results of calls in the model's request.
  std::vector<std::string> results() {
    std::vector<std::string> out;
    for (const model::Message& message : world_.models.model->requests.back().messages) {
      if (message.role == model::Role::tool) out.push_back(message.content);
    }
    return out;
  }

  RunWorld world_;
  std::shared_ptr<agent::testing::FakeTool> tool_ = agent::testing::echo_tool();
};

TEST_F(AskingAtOnce, AnswersInAnyOrder_CallsKeepTheirs) {
  ASSERT_TRUE(start({echo_call("c1"), echo_call("c2"), echo_call("c3")}));
  EXPECT_THAT(asked(), ElementsAre("c1", "c2", "c3"));
  approve("c3", {true, ""});
  approve("c2", {false, "Not that."});
  EXPECT_THAT(tool_->calls, IsEmpty()) << "the first has no answer yet";
  approve("c1", {true, ""});
  EXPECT_THAT(tool_->calls, ElementsAre("c1", "c3"));
  EXPECT_THAT(results(),
              ElementsAre(HasSubstr("echo: hi"), HasSubstr("Not that."), HasSubstr("echo: hi")));
}

TEST_F(AskingAtOnce, StoreThatIsAway_IsWaitedFor) {
  FakeReply reply;
  reply.calls = {echo_call("c1")};
  reply.holds = true;
  world_.models.model->replies = {reply, FakeReply::text("Done.")};
  const auto run = world_.start("Call it", "s1");
  ASSERT_TRUE(run);
  world_.store.fail_reads(2, core::Code::unavailable);
  world_.models.model->release();
  world_.scheduler.run_ready();
  EXPECT_THAT(asked(), IsEmpty());
  EXPECT_EQ(world_.find(run->id)->state, RunState::waiting);
  world_.scheduler.advance(std::chrono::seconds(1));
  EXPECT_THAT(asked(), IsEmpty()) << "it is still away";
  world_.scheduler.advance(std::chrono::seconds(1));
  EXPECT_THAT(asked(), ElementsAre("c1"));
  approve("c1", {true, ""});
  EXPECT_EQ(world_.find(run->id)->reply, "Done.");
}

TEST_F(AskingAtOnce, CancelledWhileTheStoreIsAway_AsksNobody) {
  FakeReply reply;
  reply.calls = {echo_call("c1")};
  reply.holds = true;
  world_.models.model->replies = {reply};
  const auto run = world_.start("Call it", "s1");
  ASSERT_TRUE(run);
  world_.store.fail_reads(1, core::Code::unavailable);
  world_.models.model->release();
  world_.scheduler.run_ready();
  world_.service->cancel("alice", run->id, world_.scheduler, [](const core::Result<run::Run>&) {});
  world_.scheduler.run_ready();
  EXPECT_EQ(world_.find(run->id)->state, RunState::cancelled);
  world_.scheduler.advance(std::chrono::seconds(2));
  EXPECT_THAT(asked(), IsEmpty());
}

TEST_F(AskingAtOnce, CallWithoutApproval_IsMadeMeanwhile) {
  auto other = agent::testing::echo_tool("other");
  world_.tools.tools.add(other);
  ASSERT_TRUE(start({{"c1", "other", R"({"text":"x"})"}, echo_call("c2")}));
  EXPECT_THAT(asked(), ElementsAre("c2"));
  EXPECT_THAT(other->calls, ElementsAre("c1"));
}

TEST_F(AskingAtOnce, AllowForRun_ClosesOpenQuestionsOfTool) {
  auto other = agent::testing::echo_tool("other");
  other->approval = tool::Approval::ask;
  world_.tools.tools.add(other);
  ASSERT_TRUE(start({echo_call("c1"), {"c2", "other", R"({"text":"x"})"}, echo_call("c3")}));
  approve("c3", {true, "", true});
  EXPECT_THAT(asked(), ElementsAre("c2"));
  EXPECT_THAT(tool_->calls, ElementsAre("c1"));
  session::Session* inbox = world_.hub->shard(0).find("assistant-alice");
  ASSERT_NE(inbox, nullptr);
  EXPECT_THAT(inbox->pending(), SizeIs(1)) << "it is closed there, too";
  std::vector<std::string> closed;
  for (const event::Event& event : world_.store.events("s1")) {
    if (event.type == "interaction.closed") closed.push_back(event.payload);
  }
  ASSERT_THAT(closed, SizeIs(2));
  EXPECT_THAT(closed[1], AllOf(HasSubstr("/c1"), HasSubstr(R"("state":"answered")"),
                               HasSubstr(R"("allow":"true")"), HasSubstr(R"("nickname":"Alice")")));
  approve("c2", {true, ""});
  EXPECT_THAT(tool_->calls, ElementsAre("c1", "c3"));
}

TEST_F(AskingAtOnce, Cancel_WithdrawsAll) {
  const auto run = start({echo_call("c1"), echo_call("c2"), read_call("c3")});
  ASSERT_TRUE(run);
  std::optional<core::Result<run::Run>> ended;
  world_.service->cancel("alice", run->id, world_.scheduler,
                         [&](core::Result<run::Run> out) { ended = std::move(out); });
  world_.scheduler.advance(core::Millis(200));
  ASSERT_TRUE(ended && *ended);
  EXPECT_THAT(asked(), IsEmpty());
  EXPECT_THAT(tool_->calls, IsEmpty());
}

TEST_F(AskingAtOnce, ConsecutiveClientTools_AreCalledTogether) {
  ASSERT_TRUE(start({read_call("c1"), read_call("c2")}));
  EXPECT_THAT(asked(), ElementsAre("c1", "c2"));
  tell("c2", "second");
  tell("c1", "first");
  EXPECT_THAT(results(), ElementsAre(HasSubstr("first"), HasSubstr("second")));
  std::vector<std::string> ended;
  for (const event::Event& event : world_.store.events("s1")) {
    if (event.type == "tool_end") ended.push_back(event.payload);
  }
  EXPECT_THAT(ended, ElementsAre(HasSubstr("\"c1\""), HasSubstr("\"c2\"")));
}

TEST_F(AskingAtOnce, ClientToolsAroundServerTool_KeepOrder) {
  tool_->approval = tool::Approval::automatic;
  ASSERT_TRUE(start({read_call("c1"), echo_call("c2"), read_call("c3")}));
  EXPECT_THAT(asked(), ElementsAre("c1"));
  EXPECT_THAT(tool_->calls, IsEmpty());
  tell("c1", "first");
  EXPECT_THAT(tool_->calls, ElementsAre("c2"));
  EXPECT_THAT(asked(), ElementsAre("c3"));
}

TEST_F(AskingAtOnce, Questions_SurviveRestart) {
  const auto run = start({echo_call("c1"), echo_call("c2")});
  ASSERT_TRUE(run);
  world_.restart();
  world_.models.model->replies = {FakeReply::text("Done.")};
  ASSERT_TRUE(world_.resume(run->id));
  EXPECT_THAT(asked(), ElementsAre("c1", "c2"));
  approve("c2", {true, ""});
  approve("c1", {true, ""});
  EXPECT_THAT(tool_->calls, ElementsAre("c1", "c2"));
}

}  // namespace
}  // namespace parley::run
