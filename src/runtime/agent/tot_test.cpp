// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/tot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/agent/agent.h"
#include "tests/support/agent/agent_world.h"

namespace parley::agent {
namespace {

using testing::AgentWorld;
using testing::echo_tool;
using ::testing::ElementsAre;
using testing::FakeReply;
using testing::FakeTool;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::task_of;
using End = graph::ExecutionResult::End;

constexpr const char* kTwoWays =
    R"({"candidates":[{"thought":"Try the first way.","tool_calls":[{"name":"fail","arguments":{}}]},)"
    R"({"thought":"Try the second way.","tool_calls":[{"name":"echo","arguments":{"text":"two"}}]}]})";
constexpr const char* kAnswers =
    R"({"candidates":[{"thought":"The answer is two."},{"thought":"The answer is three."}]})";

std::shared_ptr<FakeTool> failing_tool() {
  return std::make_shared<FakeTool>("fail", R"({"type":"object"})", [](const auto&, const auto&) {
    return tool::ToolResult::error("No such file.");
  });
}

TEST(Tot, BestScoredCandidate_IsAnswer) {
  AgentWorld world;
  world.model->replies = {FakeReply::text(kAnswers), FakeReply::text(R"({"scores":[0.2,0.9]})")};
  world.run(Kind::tot, "How many?");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_EQ(world.outcome().reply, "The answer is three.");
  EXPECT_EQ(task_of(world.model->requests.at(0)), "tot_expand");
  EXPECT_EQ(task_of(world.model->requests.at(1)), "tot_evaluate");
  EXPECT_THAT(
      world.sink.types(),
      ElementsAre("node_enter", "thought_chunk", "usage", "tot_expand", "node_exit", "updates",
                  "checkpoint", "node_enter", "thought_chunk", "usage", "tot_evaluate",
                  "message_chunk", "node_exit", "updates", "checkpoint", "values"));
  EXPECT_EQ(world.sink.all<runtime::TotEvaluate>().at(0), (runtime::TotEvaluate{1, {0.2, 0.9}}));
}

TEST(Tot, UnreadableScores_AreReplacedByHeuristic) {
  AgentWorld world;
  world.model->replies = {FakeReply::text(kAnswers), FakeReply::text("Both look fine to me.")};
  world.run(Kind::tot, "Is the answer two?");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_EQ(world.outcome().reply, "The answer is two.");
  EXPECT_THAT(world.sink.all<runtime::Custom>().at(0).value, HasSubstr("could not be read"));
}

TEST(Tot, FailedEvaluation_IsReplacedByHeuristic) {
  AgentWorld world;
  FakeReply away;
  away.error = core::Error{core::Code::unavailable, "The provider is away."};
  world.model->replies = {FakeReply::text(kAnswers), away};
  world.run(Kind::tot, "Is the answer two?");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_THAT(world.sink.all<runtime::Custom>().at(0).value, HasSubstr("away"));
}

TEST(Tot, FailedStep_BacktracksToLevelOfOtherCandidate) {
  AgentWorld world;
  world.parts->tools.add(failing_tool());
  const auto echo = echo_tool();
  world.parts->tools.add(echo);
  world.model->replies = {FakeReply::text(kTwoWays), FakeReply::text(R"({"scores":[0.9,0.5]})"),
                          FakeReply::text(kAnswers), FakeReply::text(R"({"scores":[0.9,0.1]})")};
  world.run(Kind::tot, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_THAT(world.sink.all<runtime::TotBacktrack>(),
              ElementsAre(runtime::TotBacktrack{"tool failure: No such file.", 0}));
  EXPECT_THAT(echo->calls, SizeIs(1));
  EXPECT_EQ(world.outcome().reply, "The answer is two.");
  // The failed branch is removed from the conversation, and reported as one not to repeat.
  const model::ModelRequest& third = world.model->requests.at(2);
  EXPECT_TRUE(is_paired(third.messages, false));
  EXPECT_THAT(third.messages, SizeIs(4));
  EXPECT_EQ(third.messages[2].content, "Try the second way.");
  EXPECT_THAT(third.messages[2].tool_calls, SizeIs(1));
  EXPECT_THAT(third.messages[0].content, HasSubstr("Try the first way. (tool failure"));
}

TEST(Tot, ErrorWordInGoodResult_IsNoFailure) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  world.model->replies = {
      FakeReply::text(
          R"({"candidates":[{"thought":"Look","tool_calls":[{"name":"echo","arguments":{"text":"error: failed"}}]},{"thought":"Do not look."}]})"),
      FakeReply::text("[0.9,0.5]"), FakeReply::text(kAnswers), FakeReply::text("[0.9,0.5]")};
  world.run(Kind::tot, "Go");
  EXPECT_THAT(world.sink.all<runtime::TotBacktrack>(), IsEmpty());
}

TEST(Tot, LowDeepScores_BacktrackToTrueDepth) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  const std::string way =
      R"({"thought":"Way A","tool_calls":[{"name":"echo","arguments":{"text":"a"}}]})";
  const std::string other =
      R"({"thought":"Way B","tool_calls":[{"name":"echo","arguments":{"text":"b"}}]})";
  const std::string both = R"({"candidates":[)" + way + "," + other + "]}";
  world.model->replies = {
      FakeReply::text(both),     FakeReply::text("[0.9,0.1]"),  // root: only A is above the limit
      FakeReply::text(both),     FakeReply::text("[0.9,0.6]"),  // depth 1: A, later B
      FakeReply::text(kAnswers), FakeReply::text("[0.1,0.1]"),  // depth 2: no candidate
      FakeReply::text(kAnswers), FakeReply::text("[0.8,0.1]"),  // depth 2, after B
  };
  world.run(Kind::tot, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_THAT(world.sink.all<runtime::TotBacktrack>(),
              ElementsAre(runtime::TotBacktrack{"low scores", 1}));
  EXPECT_TRUE(is_paired(world.messages(), false));
  EXPECT_EQ(world.outcome().reply, "The answer is two.");
}

TEST(Tot, LowScores_WithoutOtherWay_AreFollowed) {
  AgentWorld world;
  world.model->replies = {FakeReply::text(kAnswers), FakeReply::text("[0.1,0.15]")};
  world.run(Kind::tot, "Go");
  ASSERT_EQ(world.result->end, End::finished);
  EXPECT_EQ(world.outcome().reply, "The answer is three.");
}

TEST(Tot, LastLevel_MustAnswer) {
  AgentWorld world;
  const auto echo = echo_tool();
  world.parts->tools.add(echo);
  world.parts->limits.tot_depth = 3;
  world.model->script = [](const model::ModelRequest&) {
    return FakeReply::text(
        R"({"candidates":[{"thought":"Once more.","tool_calls":[{"name":"echo","arguments":{"text":"x"}}]}]})");
  };
  world.run(Kind::tot, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_THAT(echo->calls, SizeIs(2));
  EXPECT_EQ(world.outcome().reply, "Once more.");
  EXPECT_THAT(world.model->requests.back().messages.front().content, HasSubstr("last level"));
}

TEST(Tot, TreeWithoutAnswer_EndsInWords) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  world.parts->limits.tot_depth = 1;
  world.model->script = [](const model::ModelRequest&) {
    return FakeReply::text(R"([{"tool_calls":[{"name":"echo","arguments":{"text":"x"}}]}])");
  };
  world.run(Kind::tot, "Go");
  ASSERT_EQ(world.result->end, End::failed);
  EXPECT_THAT(world.error(), HasSubstr("reached its depth of 1 without an answer"));
}

TEST(Tot, StepLimit_EndsInWords) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  world.parts->limits.max_steps = 6;
  world.model->script = [](const model::ModelRequest&) {
    return FakeReply::text(
        R"([{"thought":"On","tool_calls":[{"name":"echo","arguments":{"text":"x"}}]}])");
  };
  world.run(Kind::tot, "Go");
  ASSERT_EQ(world.result->end, End::failed);
  EXPECT_THAT(world.error(), HasSubstr("6 steps"));
}

TEST(Tot, CallsInsteadOfCandidates_AreSingleCandidate) {
  AgentWorld world;
  const auto echo = echo_tool();
  world.parts->tools.add(echo);
  world.model->replies = {FakeReply::call("c1", "echo", R"({"text":"x"})"),
                          FakeReply::text("It says x.")};
  world.run(Kind::tot, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_THAT(echo->calls, ElementsAre("c1"));
  EXPECT_EQ(world.outcome().reply, "It says x.");
}

TEST(Tot, EveryCheckpoint_CanBeResumed) {
  AgentWorld world;
  world.parts->tools.add(failing_tool());
  world.parts->tools.add(echo_tool());
  const auto say = [](const model::ModelRequest& request) {
    if (task_of(request) == "tot_evaluate") return FakeReply::text("[0.9,0.5]");
    return FakeReply::text(request.messages.size() > 2 ? kAnswers : kTwoWays);
  };
  world.model->script = say;
  world.run(Kind::tot, "Go");
  const auto checkpoints = world.sink.all<runtime::Checkpoint>();
  ASSERT_GT(checkpoints.size(), 6U);
  for (std::size_t i = 0; i + 1 < checkpoints.size(); ++i) {
    AgentWorld again;
    again.parts->tools = world.parts->tools;
    again.model->script = say;
    graph::Entry entry;
    entry.node = *checkpoints[i].next;
    again.run_from(Kind::tot, world.state_at(Kind::tot, i), entry);
    ASSERT_EQ(again.result->end, End::finished) << i << again.error();
    EXPECT_EQ(again.outcome().reply, world.outcome().reply) << i;
    EXPECT_EQ(again.messages().size(), world.messages().size()) << i;
  }
}

}  // namespace
}  // namespace parley::agent
