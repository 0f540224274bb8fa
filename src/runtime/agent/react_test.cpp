// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/react.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/sha256.h"
#include "runtime/agent/agent.h"
#include "runtime/tool/file/tool_output.h"
#include "tests/support/agent/agent_world.h"

namespace parley::agent {
namespace {

using testing::AgentWorld;
using testing::echo_tool;
using ::testing::ElementsAre;
using testing::FakeApprover;
using testing::FakeReply;
using testing::FakeTool;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using End = graph::ExecutionResult::End;

std::vector<std::string> texts(const AgentWorld& world) {
  std::vector<std::string> out;
  for (const auto& chunk : world.sink.all<runtime::MessageChunk>()) out.push_back(chunk.content);
  return out;
}

const model::Message& last_tool_message(const AgentWorld& world) {
  for (auto it = world.messages().rbegin(); it != world.messages().rend(); ++it) {
    if (it->role == model::Role::tool) return *it;
  }
  throw std::runtime_error("There is no result of a tool.");
}

TEST(React, Answer_IsStreamedAndCounted) {
  AgentWorld world;
  FakeReply reply;
  reply.chunks = {"Hel", "lo", "."};
  reply.reasoning = "A greeting.";
  world.model->replies.push_back(reply);
  world.run(Kind::react, "Hi");

  ASSERT_EQ(world.result->end, End::finished);
  EXPECT_EQ(world.outcome().reply, "Hello.");
  EXPECT_EQ(world.outcome().reasoning, "A greeting.");
  EXPECT_EQ(world.outcome().usage, (runtime::Usage{10, 5, 15}));
  EXPECT_THAT(texts(world), ElementsAre("Hel", "lo", "."));
  EXPECT_THAT(world.sink.types(), ElementsAre("node_enter", "thought_chunk", "message_chunk",
                                              "message_chunk", "message_chunk", "usage",
                                              "node_exit", "updates", "checkpoint", "values"));
}

TEST(React, UnstreamedReply_IsShownWhole) {
  AgentWorld world;
  FakeReply reply = FakeReply::text("Hello.");
  reply.streams = false;
  reply.reasoning = "Hm.";
  world.model->replies.push_back(reply);
  world.run(Kind::react, "Hi");
  EXPECT_THAT(texts(world), ElementsAre("Hello."));
  EXPECT_THAT(world.sink.all<runtime::ThoughtChunk>(), SizeIs(1));
}

TEST(React, ReplyOfOnlyReasoning_IsAnswer) {
  AgentWorld world;
  FakeReply reply;
  reply.reasoning = "It is four.";
  world.model->replies.push_back(reply);
  world.run(Kind::react, "2 + 2?");
  EXPECT_EQ(world.outcome().reply, "It is four.");
}

TEST(React, Call_IsAnnouncedMade_ResultGoesToModel) {
  AgentWorld world;
  const auto echo = echo_tool();
  world.parts->tools.add(echo);
  world.model->replies = {FakeReply::call("c1", "echo", R"({"text":"one"})"),
                          FakeReply::text("Done.")};
  world.run(Kind::react, "Say one");

  ASSERT_EQ(world.result->end, End::finished);
  EXPECT_THAT(
      world.sink.types(),
      ElementsAre("node_enter", "tool_call_chunk", "tool_call", "usage", "node_exit", "updates",
                  "checkpoint", "node_enter", "tool_start", "tool_output", "tool_end", "checkpoint",
                  "node_exit", "updates", "checkpoint", "node_enter", "node_exit", "updates",
                  "checkpoint", "node_enter", "message_chunk", "usage", "node_exit", "updates",
                  "checkpoint", "values"));
  EXPECT_THAT(echo->calls, ElementsAre("c1"));
  EXPECT_EQ(world.sink.all<runtime::ToolEnd>().front(),
            (runtime::ToolEnd{"c1", "echo", "echo: one", false, std::nullopt}));
  const model::ModelRequest& second = world.model->requests.at(1);
  ASSERT_THAT(second.messages, SizeIs(4));
  EXPECT_EQ(second.messages[3].tool_call_id, "c1");
  EXPECT_THAT(second.messages[3].content, HasSubstr("echo: one"));
  EXPECT_THAT(second.tools, SizeIs(1));
}

TEST(React, ArgumentsOfSameTurn_AreSingleChunk) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  world.model->replies = {FakeReply::call("c1", "echo", R"({"text":"one"})"),
                          FakeReply::text("Done.")};
  world.run(Kind::react, "Say one");
  EXPECT_THAT(world.sink.all<runtime::ToolCallChunk>(),
              ElementsAre(runtime::ToolCallChunk{"c1", "echo", R"({"text":"one"})"}));
  EXPECT_THAT(world.sink.all<runtime::ToolCallMade>(),
              ElementsAre(runtime::ToolCallMade{"c1", "echo", R"({"text":"one"})"}));
}

TEST(React, UnknownTool_IsResultInWords) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  world.model->replies = {FakeReply::call("c1", "ecko", "{}"), FakeReply::text("Sorry.")};
  world.run(Kind::react, "Go");
  ASSERT_EQ(world.result->end, End::finished);
  EXPECT_TRUE(last_tool_message(world).is_error);
  EXPECT_THAT(last_tool_message(world).content, HasSubstr("no tool 'ecko'. There are: echo."));
  EXPECT_THAT(world.sink.all<runtime::ToolStart>(), IsEmpty());
  EXPECT_TRUE(world.sink.all<runtime::ToolEnd>().at(0).is_error);
}

TEST(React, NonJsonArguments_AreResultInWords) {
  AgentWorld world;
  const auto echo = echo_tool();
  world.parts->tools.add(echo);
  world.model->replies = {FakeReply::call("c1", "echo", R"({"text":)"), FakeReply::text("Sorry.")};
  world.run(Kind::react, "Go");
  ASSERT_EQ(world.result->end, End::finished);
  EXPECT_THAT(last_tool_message(world).content, HasSubstr("was not made"));
  EXPECT_THAT(echo->calls, IsEmpty());
  EXPECT_EQ(world.sink.all<runtime::ToolCallMade>().at(0).arguments, R"("{\"text\":")");
}

TEST(React, UnfittingArguments_AreResultInWords) {
  AgentWorld world;
  const auto echo = echo_tool();
  world.parts->tools.add(echo);
  world.model->replies = {FakeReply::call("c1", "echo", "{}"), FakeReply::text("Sorry.")};
  world.run(Kind::react, "Go");
  EXPECT_THAT(last_tool_message(world).content, HasSubstr("text"));
  EXPECT_THAT(echo->calls, IsEmpty());
}

TEST(React, Refusal_IsResult_RunGoesOn) {
  AgentWorld world;
  const auto echo = echo_tool();
  echo->approval = tool::Approval::ask;
  world.parts->tools.add(echo);
  FakeApprover approver;
  approver.answer = Approver::Verdict{false, "Not today."};
  world.parts->approver = &approver;
  world.model->replies = {FakeReply::call("c1", "echo", R"({"text":"x"})"),
                          FakeReply::text("Well.")};
  world.run(Kind::react, "Go");
  ASSERT_EQ(world.result->end, End::finished);
  EXPECT_EQ(world.sink.all<runtime::ToolApproval>().at(0),
            (runtime::ToolApproval{"c1", "echo", R"({"text":"x"})"}));
  EXPECT_THAT(last_tool_message(world).content, HasSubstr("User rejected. Not today."));
  EXPECT_THAT(echo->calls, IsEmpty());
  EXPECT_EQ(world.outcome().reply, "Well.");
}

TEST(React, GatedTool_RunsOnlyAfterApproval) {
  AgentWorld world;
  const auto echo = echo_tool();
  echo->approval = tool::Approval::ask;
  world.parts->tools.add(echo);
  FakeApprover approver;
  world.parts->approver = &approver;
  world.model->replies = {FakeReply::call("c1", "echo", R"({"text":"x"})"),
                          FakeReply::text("Well.")};
  world.run(Kind::react, "Go");
  EXPECT_FALSE(world.result);
  EXPECT_THAT(echo->calls, IsEmpty());
  ASSERT_THAT(approver.waiting, SizeIs(1));
  auto waiting = std::move(approver.waiting.front());
  approver.waiting.clear();
  waiting(Approver::Verdict{true, {}});
  world.scheduler.run_ready();
  ASSERT_TRUE(world.result);
  EXPECT_THAT(echo->calls, ElementsAre("c1"));
}

TEST(React, CallWithOtherArgumentsThanAllowed_IsNotMade) {
  for (const std::string allowed : {R"({"text":"x"})", R"({"text":"y"})"}) {
    AgentWorld world;
    const auto echo = echo_tool();
    echo->approval = tool::Approval::ask;
    world.parts->tools.add(echo);
    FakeApprover approver;
    approver.answer = Approver::Verdict{true, {}, core::sha256_hex(allowed)};
    world.parts->approver = &approver;
    world.model->replies = {FakeReply::call("c1", "echo", R"({"text":"x"})"),
                            FakeReply::text("Well.")};
    world.run(Kind::react, "Go");
    ASSERT_EQ(world.result->end, End::finished);
    const bool same = allowed == R"({"text":"x"})";
    EXPECT_THAT(echo->calls, SizeIs(same ? 1 : 0));
    if (!same) {
      EXPECT_THAT(last_tool_message(world).content, HasSubstr("changed since a person allowed it"));
    }
  }
}

TEST(React, CallsOverLimit_AreRefusedInWords) {
  AgentWorld world;
  const auto echo = echo_tool();
  world.parts->tools.add(echo);
  world.parts->limits.max_tool_calls = 2;
  FakeReply reply;
  for (const char* id : {"a", "b", "c", "d"})
    reply.calls.push_back({id, "echo", R"({"text":"x"})"});
  world.model->replies = {reply, FakeReply::text("Done.")};
  world.run(Kind::react, "Go");
  ASSERT_EQ(world.result->end, End::finished);
  EXPECT_THAT(echo->calls, ElementsAre("a", "b"));
  EXPECT_THAT(last_tool_message(world).content, HasSubstr("at most 2 calls"));
  EXPECT_TRUE(is_paired(world.messages(), false));
}

TEST(React, FloodOfCallsOfSameId_IsCutAndTold) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  FakeReply flood;
  for (int i = 0; i < 20'000; ++i) flood.calls.push_back({"c", "echo", R"({"text":"x"})"});
  world.model->replies = {flood, FakeReply::text("Done.")};
  world.run(Kind::react, "Go");
  ASSERT_EQ(world.result->end, End::finished);
  EXPECT_THAT(world.messages(), SizeIs(3 + kMaxCallsOfReply + 1));
  EXPECT_THAT(testing::transcript(world.sink), HasSubstr(R"("count":19872)"));
  EXPECT_TRUE(is_paired(world.messages(), false));
}

TEST(React, StepLimit_EndsInWords) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  world.parts->limits.max_steps = 3;
  world.model->script = [n = 0](const model::ModelRequest&) mutable {
    FakeReply reply = FakeReply::call("c" + std::to_string(++n), "echo", R"({"text":"x"})");
    reply.chunks = {"Step " + std::to_string(n)};
    return reply;
  };
  world.run(Kind::react, "Go");
  ASSERT_EQ(world.result->end, End::failed);
  EXPECT_THAT(world.error(), HasSubstr("limit of 3 steps"));
  EXPECT_EQ(world.outcome().reply, "Step 3");
  EXPECT_TRUE(is_paired(world.messages(), false));
}

TEST(React, EmptyReply_IsRetriedThreeTimes) {
  AgentWorld world;
  world.model->replies = {FakeReply{}, FakeReply{}, FakeReply{}, FakeReply::text("At last.")};
  world.run(Kind::react, "Go");
  EXPECT_FALSE(world.result);
  world.scheduler.advance(std::chrono::seconds(10));
  ASSERT_TRUE(world.result);
  EXPECT_EQ(world.outcome().reply, "At last.");
  EXPECT_EQ(world.outcome().usage, (runtime::Usage{40, 20, 60}));
}

TEST(React, OnlyEmptyReplies_FailRunInWords) {
  AgentWorld world;
  world.model->script = [](const model::ModelRequest&) { return FakeReply{}; };
  world.run(Kind::react, "Go");
  world.scheduler.advance(std::chrono::seconds(10));
  ASSERT_TRUE(world.result);
  EXPECT_EQ(world.result->end, End::failed);
  EXPECT_THAT(world.error(), HasSubstr("empty reply, 4 times"));
  EXPECT_THAT(world.model->requests, SizeIs(4));
}

TEST(React, Cancel_BeforeRetry_EndsRunAtOnce) {
  AgentWorld world;
  world.model->script = [](const model::ModelRequest&) { return FakeReply{}; };
  world.run(Kind::react, "Go");
  world.cancel.cancel("Enough.");
  world.scheduler.run_ready();
  ASSERT_TRUE(world.result);
  EXPECT_EQ(world.result->end, End::cancelled);
  EXPECT_EQ(world.scheduler.timers(), 0U);
}

TEST(React, Cancel_WhileModelSpeaks_EndsRun) {
  AgentWorld world;
  FakeReply reply;
  reply.holds = true;
  world.model->replies.push_back(reply);
  world.run(Kind::react, "Go");
  world.cancel.cancel("Enough.");
  world.scheduler.run_ready();
  ASSERT_TRUE(world.result);
  EXPECT_EQ(world.result->end, End::cancelled);
}

TEST(React, Cancel_ReachesRunningTool) {
  AgentWorld world;
  const auto echo = echo_tool();
  echo->holds = true;
  world.parts->tools.add(echo);
  world.model->replies = {FakeReply::call("c1", "echo", R"({"text":"x"})")};
  world.run(Kind::react, "Go");
  EXPECT_FALSE(world.result);
  world.cancel.cancel("Enough.");
  world.scheduler.run_ready();
  ASSERT_TRUE(world.result);
  EXPECT_EQ(world.result->end, End::cancelled);
  EXPECT_THAT(echo->held, IsEmpty());
}

TEST(React, FailedModel_FailsRunWithSpokenText) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  FakeReply first = FakeReply::call("c1", "echo", R"({"text":"x"})");
  first.chunks = {"Let me see."};
  FakeReply second;
  second.error = core::Error{core::Code::unavailable, "The provider is away."};
  world.model->replies = {first, second};
  world.run(Kind::react, "Go");
  ASSERT_EQ(world.result->end, End::failed);
  EXPECT_EQ(world.error(), "The provider is away.");
  EXPECT_EQ(world.outcome().reply, "Let me see.");
  EXPECT_EQ(world.sink.all<runtime::NodeExit>().back().error, "The provider is away.");
}

TEST(React, RepeatedAttempt_VoidsStreamedText) {
  AgentWorld world;
  FakeReply reply = FakeReply::text("Hello");
  reply.retried = core::Error{core::Code::unavailable, "Broken pipe."};
  world.model->replies.push_back(reply);
  world.run(Kind::react, "Hi");
  EXPECT_THAT(world.sink.types(), ::testing::Contains("custom"));
  EXPECT_THAT(world.sink.all<runtime::Custom>().at(0).value,
              HasSubstr(R"("model_retry":{"id":"think","error":"Broken pipe.")"));
  EXPECT_EQ(world.outcome().reply, "Hello");
}

TEST(React, CallsWithoutUniqueId_GetOwnIds) {
  AgentWorld world;
  const auto echo = echo_tool();
  world.parts->tools.add(echo);
  FakeReply twice;
  twice.calls = {{"c", "echo", R"({"text":"1"})"}, {"c", "echo", R"({"text":"2"})"}};
  FakeReply nameless = FakeReply::call("", "echo", R"({"text":"3"})");
  world.model->replies = {twice, FakeReply::call("c", "echo", R"({"text":"4"})"), nameless,
                          FakeReply::text("Done.")};
  world.run(Kind::react, "Go");
  ASSERT_EQ(world.result->end, End::finished);
  ASSERT_THAT(echo->calls, SizeIs(4));
  const std::set<std::string> ids(echo->calls.begin(), echo->calls.end());
  EXPECT_THAT(ids, SizeIs(4));
  EXPECT_FALSE(ids.contains(""));
  EXPECT_TRUE(is_paired(world.messages(), false));
}

TEST(React, LongResult_IsShownShortAndGivenInPart) {
  AgentWorld world;
  const std::string all(300'000, 'x');
  world.parts->tools.add(std::make_shared<FakeTool>(
      "big", R"({"type":"object"})",
      [&](const auto&, const auto&) { return tool::ToolResult::ok(all); }));
  world.model->replies = {FakeReply::call("c1", "big", "{}"), FakeReply::text("Done.")};
  world.run(Kind::react, "Go");
  ASSERT_TRUE(world.result);
  const runtime::ToolEnd end = world.sink.all<runtime::ToolEnd>().at(0);
  EXPECT_EQ(end.result.size(), tool::kDisplayCharacters + 3);
  ASSERT_TRUE(end.raw_result);
  EXPECT_GT(end.raw_result->size(), end.result.size());
  EXPECT_LE(last_tool_message(world).content.size(), tool::kInlineCharacters + 999);
  EXPECT_GT(last_tool_message(world).content.size(), tool::kDisplayCharacters);
}

TEST(React, BadByteInResult_DoesNotReachStream) {
  AgentWorld world;
  world.parts->tools.add(std::make_shared<FakeTool>(
      "bad", R"({"type":"object"})",
      [&](const auto&, const auto&) { return tool::ToolResult::ok("a\xFFz"); }));
  world.model->replies = {FakeReply::call("c1", "bad", "{}"), FakeReply::text("Done.")};
  world.run(Kind::react, "Go");
  EXPECT_EQ(world.sink.all<runtime::ToolEnd>().at(0).result, "a\xEF\xBF\xBDz");
}

// --- resuming --------------------------------------------------------------------------------

TEST(React, RunResumedDuringCalls_RepeatsNone) {
  AgentWorld world;
  const auto echo = echo_tool();
  world.parts->tools.add(echo);
  FakeReply calls;
  for (const char* id : {"a", "b", "c"}) calls.calls.push_back({id, "echo", R"({"text":"x"})"});
  world.model->replies = {calls, FakeReply::text("Done.")};
  world.run(Kind::react, "Go");
  ASSERT_THAT(echo->calls, ElementsAre("a", "b", "c"));

  // The checkpoints are: after think, after call a, after call b, ...
  AgentWorld again;
  const auto second = echo_tool();
  again.parts->tools.add(second);
  again.parts->in_flight_calls = {"b"};
  again.model->replies = {FakeReply::text("Done.")};
  graph::Entry entry;
  entry.node = "act";
  again.run_from(Kind::react, world.state_at(Kind::react, 1), entry);
  ASSERT_EQ(again.result->end, End::finished);
  EXPECT_THAT(second->calls, ElementsAre("c"));
  EXPECT_TRUE(is_paired(again.messages(), false));
  EXPECT_THAT(again.model->requests.at(0).messages.at(4).content,
              HasSubstr("may have happened in full, in part, or not at all"));
  EXPECT_EQ(again.outcome().reply, world.outcome().reply);
}

TEST(React, NewMessage_ContinuesConversation) {
  AgentWorld world;
  world.model->replies = {FakeReply::text("Hello.")};
  world.run(Kind::react, "Hi");
  AgentWorld next;
  next.parts->system_prompt = "You are brief.";
  next.model->replies = {FakeReply::text("Bye.")};
  next.run(Kind::react, "Go away", world.result->state.get());
  const auto& messages = next.model->requests.at(0).messages;
  ASSERT_THAT(messages, SizeIs(4));
  EXPECT_EQ(messages[0].content, "You are brief.");
  EXPECT_EQ(messages[2].content, "Hello.");
  EXPECT_EQ(messages[3].content, "Go away");
}

TEST(React, OpenCallsOfRun_AreAnsweredBeforeNextMessage) {
  AgentWorld world;
  const auto echo = echo_tool();
  echo->holds = true;
  world.parts->tools.add(echo);
  FakeReply calls;
  for (const char* id : {"a", "b"}) calls.calls.push_back({id, "echo", R"({"text":"x"})"});
  world.model->replies = {calls};
  world.run(Kind::react, "Go");
  world.cancel.cancel("Enough.");
  world.scheduler.run_ready();

  AgentWorld next;
  next.run(Kind::dup, "What now?", world.result->state.get());
  EXPECT_TRUE(is_paired(next.model->requests.at(0).messages, false));
  EXPECT_THAT(next.model->requests.at(0).messages, SizeIs(6));
}

TEST(React, LongConversation_IsCut_KeepsSystemPrompt) {
  AgentWorld world;
  world.model->limit = 4'000;
  world.parts->tools.add(std::make_shared<FakeTool>(
      "big", R"({"type":"object"})",
      [](const auto&, const auto&) { return tool::ToolResult::ok(std::string(6'000, 'x')); }));
  world.model->script = [n = 0](const model::ModelRequest& request) mutable {
    if (request.tools.empty()) return FakeReply::text("A summary.");
    if (++n == 6) return FakeReply::text("Done.");
    return FakeReply::call("c" + std::to_string(n), "big", "{}");
  };
  world.run(Kind::react, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_EQ(world.messages().front().content, "You are helpful.");
  EXPECT_TRUE(is_paired(world.messages(), false));
  EXPECT_THAT(world.sink.all<runtime::Custom>().at(0).value, HasSubstr("context_fitted"));
  for (const model::ModelRequest& request : world.model->requests) {
    EXPECT_TRUE(is_paired(request.messages, false));
  }
}

TEST(React, WrittenBytes_DoNotGrowQuadratically) {
  const auto bytes_of = [](std::size_t turns) {
    AgentWorld world;
    world.parts->tools.add(echo_tool());
    world.parts->limits.max_steps = 1'000;
    world.model->script = [turns, n = std::size_t{0}](const model::ModelRequest&) mutable {
      if (++n > turns) return FakeReply::text("Done.");
      return FakeReply::call("c" + std::to_string(n), "echo",
                             R"({"text":")" + std::string(500, 'x') + R"("})");
    };
    world.run(Kind::react, "Go");
    return testing::transcript(world.sink).size();
  };
  const std::size_t few = bytes_of(20);
  const std::size_t many = bytes_of(80);
  EXPECT_LT(many, few * 5);
}

TEST(React, EveryCheckpoint_CanBeReadBack) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  world.model->replies = {FakeReply::call("a", "echo", R"({"text":"x"})"),
                          FakeReply::text("Done.")};
  world.run(Kind::react, "Go");
  const std::size_t last = world.sink.all<runtime::Checkpoint>().size() - 1;
  const auto read = world.state_at(Kind::react, last);
  EXPECT_EQ(messages_of(*read), world.messages());
  EXPECT_EQ(outcome_of(Kind::react, *read).usage, world.outcome().usage);
}

}  // namespace
}  // namespace parley::agent
