// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/client_tool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run/run_world.h"
#include "tests/support/session/test_actors.h"

namespace parley::run {
namespace {

using agent::testing::FakeReply;
using testing::HasSubstr;
using testing::SizeIs;

model::ToolSpec read_file() {
  return {"readFile", "Reads a file of the person's.",
          R"({"type":"object","properties":{"path":{"type":"string"}},"required":["path"]})"};
}

class ClientToolTest : public ::testing::Test {
 protected:
  core::Result<run::Run> start(std::vector<model::ToolSpec> tools = {read_file()}) {
    world_.models.model->replies = {FakeReply::call("c1", "readFile", R"({"path":"a.txt"})"),
                                    FakeReply::text("Done.")};
    RunRequest request;
    request.message = model::Message::user("Read it");
    request.session = "chat-1";
    request.dialect = kChatDialect;
    request.client_tools = std::move(tools);
    return world_.start(std::move(request));
  }
  session::Session* session() { return world_.hub->shard(0).find("chat-1"); }
  void answer(const tool::ToolResult& result) {
    session()->answer(session()->pending().at(0)->key, client_answer(result),
                      session::person("tab", "tab"), nullptr);
    world_.scheduler.run_ready();
  }
  const model::Message& last_message() {
    return world_.models.model->requests.back().messages.back();
  }

  RunWorld world_;
};

TEST_F(ClientToolTest, Call_IsInteraction_AnswerGoesToModel) {
  const auto run = start();
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(session()->dialect(), "chat");
  ASSERT_THAT(session()->pending(), SizeIs(1));
  const session::Interaction& call = *session()->pending()[0];
  EXPECT_EQ(call.kind, session::InteractionKind::client_tool_call);
  EXPECT_THAT(call.prompt.detail, HasSubstr(R"("name":"readFile","arguments":{"path":"a.txt"})"));
  EXPECT_EQ(world_.find(run->id)->state, RunState::waiting);
  EXPECT_EQ(world_.hub->shard(0).find("assistant-alice"), nullptr) << "no person is asked";
  answer(tool::ToolResult::ok("It says hello."));
  EXPECT_THAT(last_message().content, HasSubstr("It says hello."));
  EXPECT_EQ(world_.find(run->id)->state, RunState::finished);
}

TEST_F(ClientToolTest, Failure_IsToldToModel) {
  ASSERT_TRUE(start());
  answer(tool::ToolResult::error("There is no such file."));
  EXPECT_TRUE(last_message().is_error);
  EXPECT_THAT(last_message().content, HasSubstr("There is no such file."));
}

TEST_F(ClientToolTest, Cancel_WithdrawsCall) {
  const auto run = start();
  ASSERT_TRUE(run);
  std::optional<core::Result<run::Run>> ended;
  world_.service->cancel("alice", run->id, world_.scheduler,
                         [&](core::Result<run::Run> out) { ended = std::move(out); });
  world_.scheduler.advance(core::Millis(200));
  ASSERT_TRUE(ended && *ended);
  EXPECT_EQ((*ended)->state, RunState::cancelled);
  EXPECT_TRUE(session() == nullptr || session()->pending().empty());
}

TEST_F(ClientToolTest, UnansweredCall_EndsAtDeadline) {
  const auto run = start();
  ASSERT_TRUE(run);
  world_.scheduler.advance(core::limits::kDefaultWait + core::Millis(1));
  EXPECT_EQ(world_.find(run->id)->state, RunState::finished);
  EXPECT_THAT(last_message().content, HasSubstr("Nobody answered in time"));
}

TEST_F(ClientToolTest, NameOfOwnToolOfRun_IsRefused) {
  RunRequest request;
  request.message = model::Message::user("Read it");
  request.session = "chat-1";
  request.dialect = kChatDialect;
  request.client_tools = {{"echo", "", "{}"}};
  request.own_tools = [](const AskClient& /*ask*/) {
    return std::vector<tool::ToolPtr>{agent::testing::echo_tool()};
  };
  const auto run = world_.start(std::move(request));
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("The server already has a tool \"echo\""));
}

TEST_F(ClientToolTest, BadSpecifications_AreRefusedBeforeRun) {
  world_.tools.tools.add(agent::testing::echo_tool());
  const auto with = [](std::string name, std::string schema) {
    return model::ToolSpec{std::move(name), "", std::move(schema)};
  };
  const std::vector<std::pair<std::vector<model::ToolSpec>, std::string>> cases = {
      {{read_file(), read_file()}, "is given twice"},
      {{with("echo", "{}")}, "The server already has a tool"},
      {{with("invoke_agent", "{}")}, "The server already has a tool"},
      {{with("a b", "{}")}, "The name of a tool"},
      {{with("", "{}")}, "The name of a tool"},
      {{with("a", "[]")}, "it must be a JSON object"},
      {{with("a", R"({"type":"string"})")}, "type must be \"object\""},
      {{with("a", R"({"properties":{"b":{"type":"text"}}})")}, "properties.b.type must be"},
      {{with("a", R"({"x":")" + std::string(kMaxClientToolBytes, 'x') + "\"}")}, "more than"},
      {std::vector<model::ToolSpec>(kMaxClientTools + 1, with("a", "{}")), "at most 128 tools"},
  };
  for (const auto& [tools, message] : cases) {
    const auto run = start(tools);
    ASSERT_FALSE(run) << message;
    EXPECT_EQ(run.error().field, "client_tools");
    EXPECT_THAT(run.error().message, HasSubstr(message));
  }
  EXPECT_TRUE(start()) << "the session is free";
}

}  // namespace
}  // namespace parley::run
