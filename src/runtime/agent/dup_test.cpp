// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/dup.h"

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
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::task_of;
using End = graph::ExecutionResult::End;

TEST(Dup, Dup_UnderstandsThenPlansThenActs) {
  AgentWorld world;
  const auto echo = echo_tool();
  world.parts->tools.add(echo);
  world.model->replies = {
      FakeReply::text(
          R"({"core_goal":"Say x","key_constraints":["once"],"relevant_context":"none"})"),
      FakeReply::call("c1", "echo", R"({"text":"x"})"), FakeReply::text("Said.")};
  world.run(Kind::dup, "Say x");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_EQ(world.outcome().reply, "Said.");
  EXPECT_EQ(task_of(world.model->requests.at(0)), "dup_understand");
  EXPECT_THAT(world.model->requests.at(0).tools, IsEmpty());
  EXPECT_THAT(world.model->requests.at(1).messages.at(2).content,
              ::testing::StartsWith("**Understanding**"));
  std::vector<std::string> nodes;
  for (const auto& event : world.sink.all<runtime::NodeEnter>()) nodes.push_back(event.id);
  EXPECT_THAT(nodes, ElementsAre("understand", "plan", "act", "observe", "plan"));
  EXPECT_THAT(world.sink.all<runtime::Values>().at(0).state,
              HasSubstr(R"("understood":{"core_goal":"Say x")"));
}

TEST(Dup, Understanding_IsReadFromJsonLinesOrText) {
  const Understanding whole{"Go", {"fast", "safe"}, "None"};
  EXPECT_EQ(
      read_understanding("```json\n{\"core_goal\":\"Go\",\"key_constraints\":[\"fast\",\"safe\"],"
                         "\"relevant_context\":\"None\"}\n```"),
      whole);
  EXPECT_EQ(read_understanding("**Core goal**: Go\nKey constraints:\n- fast\n2. safe\n"
                               "Relevant context: None"),
            whole);
  EXPECT_EQ(read_understanding(" Just do it. "), (Understanding{"", {}, "Just do it."}));
}

TEST(Dup, EveryCheckpoint_CanBeResumed) {
  const auto script = [](const model::ModelRequest& request) {
    if (task_of(request) == "dup_understand") return FakeReply::text("Goal.");
    if (request.messages.back().role == model::Role::tool) return FakeReply::text("Said.");
    return FakeReply::call("c1", "echo", R"({"text":"x"})");
  };
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  world.model->script = script;
  world.run(Kind::dup, "Say x");
  const auto checkpoints = world.sink.all<runtime::Checkpoint>();
  for (std::size_t i = 0; i + 1 < checkpoints.size(); ++i) {
    AgentWorld again;
    again.parts->tools.add(echo_tool());
    again.model->script = script;
    graph::Entry entry;
    entry.node = *checkpoints[i].next;
    again.run_from(Kind::dup, world.state_at(Kind::dup, i), entry);
    ASSERT_EQ(again.result->end, End::finished) << i;
    EXPECT_EQ(again.messages(), world.messages()) << i;
  }
}

}  // namespace
}  // namespace parley::agent
