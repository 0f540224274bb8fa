// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/got.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/utf8.h"
#include "runtime/agent/agent.h"
#include "runtime/agent/got_execute.h"
#include "tests/support/agent/agent_world.h"

namespace parley::agent {
namespace {

using testing::AgentWorld;
using ::testing::AllOf;
using testing::echo_tool;
using ::testing::ElementsAre;
using testing::FakeApprover;
using testing::FakeReply;
using testing::FakeTool;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using testing::task_of;
using End = graph::ExecutionResult::End;

// a and b are independent, c needs both.
constexpr const char* kPlan =
    R"({"nodes":[{"id":"a","description":"Do A"},{"id":"b","description":"Do B"},)"
    R"({"id":"c","description":"Do C"}],"edges":[["a","c"],["b","c"]]})";
constexpr const char* kTwoSinks =
    R"({"nodes":[{"id":"a","description":"Do A"},{"id":"b","description":"Do B"}],"edges":[]})";

// The task of a got_task request: the last word of its message.
std::string subject(const model::ModelRequest& request) {
  for (auto it = request.messages.rbegin(); it != request.messages.rend(); ++it) {
    if (it->role == model::Role::user) return it->content.substr(it->content.rfind(' ') + 1);
  }
  return {};
}

// Answers the planning request with `plan`, and each task with its name.
std::function<FakeReply(const model::ModelRequest&)> simple_script(std::string plan) {
  return [plan = std::move(plan)](const model::ModelRequest& request) {
    const std::string task = task_of(request);
    if (task == "got_plan") return FakeReply::text(plan);
    if (task == "summary") return FakeReply::text("All together.");
    if (task == "got_complexity") return FakeReply::text("simple");
    return FakeReply::text("Result of " + subject(request) + ".");
  };
}

std::vector<std::string> started(const AgentWorld& world) {
  std::vector<std::string> ids;
  for (const auto& event : world.sink.all<runtime::GotNodeStart>()) ids.push_back(event.id);
  return ids;
}

TEST(Got, Tasks_RunInOrder_SinkIsReply) {
  AgentWorld world;
  world.model->script = simple_script(kPlan);
  world.run(Kind::got, "Do it all");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_EQ(world.sink.all<runtime::GotPlan>().at(0), (runtime::GotPlan{3, 2, {"a", "b", "c"}}));
  EXPECT_THAT(started(world), ElementsAre("a", "b", "c"));
  EXPECT_EQ(world.outcome().reply, "Result of C.");
  EXPECT_EQ(world.model->most, 2U);  // a and b at the same time
  EXPECT_THAT(world.model->requests.back().messages.at(1).content,
              ::testing::AllOf(HasSubstr("Result of A."), HasSubstr("Result of B.")));
  EXPECT_EQ(world.outcome().usage->total_tokens, 4 * 15U);
}

TEST(Got, ConcurrentTasks_AreLimited) {
  AgentWorld world;
  world.parts->limits.got_concurrency = 1;
  world.model->script = simple_script(kPlan);
  world.run(Kind::got, "Do it all");
  ASSERT_EQ(world.result->end, End::finished);
  EXPECT_EQ(world.model->most, 1U);
}

TEST(Got, Tasks_StreamMessagesUsageAndTools) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  world.model->script = [](const model::ModelRequest& request) {
    if (task_of(request) == "got_plan") {
      return FakeReply::text(R"({"nodes":[{"id":"a","description":"Do A"}]})");
    }
    if (request.messages.back().role == model::Role::tool) return FakeReply::text("Done.");
    return FakeReply::call("c1", "echo", R"({"text":"x"})");
  };
  world.run(Kind::got, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_THAT(world.sink.all<runtime::MessageChunk>(), SizeIs(1));
  EXPECT_THAT(world.sink.all<runtime::Usage>(), SizeIs(3));
  EXPECT_THAT(world.sink.all<runtime::ToolStart>(), SizeIs(1));
  EXPECT_THAT(world.sink.all<runtime::ToolEnd>(), SizeIs(1));
  EXPECT_THAT(world.sink.all<runtime::Custom>().at(0).value,
              HasSubstr(R"({"got_task":{"task":"a","id":"think","node_id":"run-think-2"}})"));
  EXPECT_EQ(world.outcome().reply, "Done.");
}

TEST(Got, ToolOfTask_NeedsUsualApproval) {
  AgentWorld world;
  const auto echo = echo_tool();
  echo->approval = tool::Approval::ask;
  world.parts->tools.add(echo);
  FakeApprover approver;
  approver.answer = Approver::Verdict{false, "Not today."};
  world.parts->approver = &approver;
  world.model->script = [](const model::ModelRequest& request) {
    if (task_of(request) == "got_plan") return FakeReply::text(kTwoSinks);
    if (task_of(request) == "summary") return FakeReply::text("All together.");
    if (request.messages.back().role == model::Role::tool) return FakeReply::text("Without it.");
    return FakeReply::call("c" + subject(request), "echo", R"({"text":"x"})");
  };
  world.run(Kind::got, "Do it all");
  ASSERT_EQ(world.result->end, End::finished);
  EXPECT_THAT(world.sink.all<runtime::ToolApproval>(), SizeIs(2));
  EXPECT_THAT(echo->calls, IsEmpty());
}

TEST(Got, SeveralSinks_AreMergedByModel) {
  AgentWorld world;
  world.model->script = simple_script(kTwoSinks);
  world.run(Kind::got, "Both");
  ASSERT_EQ(world.result->end, End::finished);
  EXPECT_EQ(world.outcome().reply, "All together.");
}

// The reply as readers join it: the contents of all message_chunk events.
std::string spoken(const AgentWorld& world) {
  std::string text;
  for (const auto& chunk : world.sink.all<runtime::MessageChunk>()) text += chunk.content;
  return text;
}

TEST(Got, Tasks_Think_OnlyMergedReplyIsSpoken) {
  AgentWorld world;
  world.model->script = simple_script(kTwoSinks);
  world.run(Kind::got, "Both");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_EQ(spoken(world), world.outcome().reply);
  std::string thought;
  for (const auto& chunk : world.sink.all<runtime::ThoughtChunk>()) thought += chunk.content;
  EXPECT_THAT(thought, AllOf(HasSubstr("Result of A."), HasSubstr("Result of B.")));
}

TEST(Got, SingleSink_IsSpokenOnce) {
  for (const Kind kind : {Kind::got, Kind::agot}) {
    AgentWorld world;
    world.model->script = simple_script(kPlan);
    world.run(kind, "Go");
    ASSERT_EQ(world.result->end, End::finished) << world.error();
    EXPECT_EQ(spoken(world), world.outcome().reply);
  }
}

TEST(Got, SeveralSinks_WithoutMerge_AreJoined) {
  AgentWorld world;
  world.model->script = [script = simple_script(kTwoSinks)](const model::ModelRequest& request) {
    if (task_of(request) != "summary") return script(request);
    FakeReply away;
    away.error = core::Error{core::Code::unavailable, "Away."};
    return away;
  };
  world.run(Kind::got, "Both");
  ASSERT_EQ(world.result->end, End::finished);
  EXPECT_EQ(world.outcome().reply, "Result of A.\n\nResult of B.");
  EXPECT_EQ(world.sink.all<runtime::MessageChunk>().back().content, world.outcome().reply);
}

TEST(Got, PlanWithCycle_IsRetriedWithFaultTold) {
  AgentWorld world;
  world.model->script = [n = 0,
                         good = simple_script(kPlan)](const model::ModelRequest& request) mutable {
    if (task_of(request) == "got_plan" && ++n == 1) {
      return FakeReply::text(R"({"nodes":[{"id":"a"},{"id":"b"}],"edges":[["a","b"],["b","a"]]})");
    }
    return good(request);
  };
  world.run(Kind::got, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_THAT(world.model->requests.at(1).messages.at(0).content, HasSubstr("a -> b -> a"));
  EXPECT_THAT(world.sink.all<runtime::GotPlan>(), SizeIs(1));
}

TEST(Got, PlanWrongTwice_FailsRunInWords) {
  AgentWorld world;
  world.model->script = [](const model::ModelRequest&) {
    return FakeReply::text(R"({"nodes":[{"id":"a"},{"id":"a"}]})");
  };
  world.run(Kind::got, "Go");
  ASSERT_EQ(world.result->end, End::failed);
  EXPECT_THAT(world.error(), HasSubstr("cannot be used: Two tasks have the id 'a'."));
  EXPECT_THAT(world.model->requests, SizeIs(2));
  EXPECT_THAT(world.sink.all<runtime::GotPlan>(), IsEmpty());
}

TEST(Got, UnreadablePlan_BecomesSingleTask) {
  AgentWorld world;
  world.model->script = simple_script("I will just do it.");
  world.run(Kind::got, "Do X");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_EQ(world.sink.all<runtime::GotPlan>().at(0), (runtime::GotPlan{1, 0, {"task_1"}}));
  EXPECT_EQ(world.outcome().reply, "Result of X.");
}

TEST(Got, FailedTask_FailsDependantsWithReason) {
  AgentWorld world;
  world.model->script =
      [script = simple_script(
           R"({"nodes":[{"id":"a","description":"Do A"},{"id":"b","description":"Do B"},)"
           R"({"id":"c","description":"Do C"},{"id":"d","description":"Do D"}],)"
           R"("edges":[["a","c"],["c","d"]]})")](const model::ModelRequest& request) {
        if (task_of(request) == "got_task" && subject(request) == "A") {
          FakeReply away;
          away.error = core::Error{core::Code::unavailable, "The provider is away."};
          return away;
        }
        return script(request);
      };
  world.run(Kind::got, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_THAT(world.sink.all<runtime::GotNodeFailed>(),
              ElementsAre(runtime::GotNodeFailed{"a", "The provider is away."},
                          runtime::GotNodeFailed{
                              "c", "The task 'a', which it needs, failed: The provider is away."},
                          runtime::GotNodeFailed{
                              "d", "The task 'c', which it needs, failed: The provider is away."}));
  EXPECT_THAT(started(world), ElementsAre("a", "b"));
  // The sinks are b and the failed d: the model gets both.
  EXPECT_EQ(world.outcome().reply, "All together.");
  EXPECT_THAT(world.model->requests.back().messages.at(1).content,
              ::testing::AllOf(HasSubstr("Result of B."), HasSubstr("'d' could not be done")));
}

TEST(Got, RunWithoutFinishedSink_FailsWithFindings) {
  AgentWorld world;
  world.model->script = [script = simple_script(kPlan)](const model::ModelRequest& request) {
    if (task_of(request) == "got_task" && subject(request) == "C") {
      FakeReply away;
      away.error = core::Error{core::Code::unavailable, "Away."};
      return away;
    }
    return script(request);
  };
  world.run(Kind::got, "Go");
  ASSERT_EQ(world.result->end, End::failed);
  EXPECT_THAT(world.error(), HasSubstr("'c': Away."));
  EXPECT_EQ(world.outcome().reply, "Result of A.\n\nResult of B.");
}

TEST(Got, EndlessTask_IsStoppedAndFails) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  world.model->script = [n = 0](const model::ModelRequest& request) mutable {
    if (task_of(request) == "got_plan") return FakeReply::text(R"({"nodes":["Do A"]})");
    return FakeReply::call("c" + std::to_string(++n), "echo", R"({"text":"x"})");
  };
  world.run(Kind::got, "Go");
  ASSERT_EQ(world.result->end, End::failed);
  EXPECT_THAT(world.error(), HasSubstr("limit of 10 steps"));
}

TEST(Got, SummaryOfResult_IsCutBetweenCharacters) {
  AgentWorld world;
  std::string result = "x";
  for (int i = 0; i < 100; ++i) result += "\xE4\xB8\xAD";
  world.model->script = [result](const model::ModelRequest& request) {
    if (task_of(request) == "got_plan") return FakeReply::text(R"({"nodes":["Do A"]})");
    return FakeReply::text(result);
  };
  world.run(Kind::got, "Go");
  const std::string summary = world.sink.all<runtime::GotNodeComplete>().at(0).result_summary;
  EXPECT_TRUE(core::is_utf8(summary));
  EXPECT_EQ(summary.size(), 199U + 3U);
  EXPECT_EQ(world.outcome().reply, result);
}

TEST(Got, CallIdsOfConcurrentTasks_AreDistinct) {
  AgentWorld world;
  const auto echo = echo_tool();
  world.parts->tools.add(echo);
  world.model->script = [](const model::ModelRequest& request) {
    if (task_of(request) == "got_plan") return FakeReply::text(kTwoSinks);
    if (task_of(request) == "summary") return FakeReply::text("All.");
    if (request.messages.back().role == model::Role::tool) return FakeReply::text("Done.");
    return FakeReply::call("same", "echo", R"({"text":"x"})");
  };
  world.run(Kind::got, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_THAT(echo->calls, ElementsAre("same", "same_2"));
  EXPECT_THAT(world.sink.all<runtime::ToolCallChunk>(), SizeIs(2));
  EXPECT_EQ(world.sink.all<runtime::ToolCallChunk>().at(1).call_id, "same_2");
}

TEST(Got, Cancel_EndsAllTasksAtOnce) {
  AgentWorld world;
  world.model->script = [script = simple_script(kTwoSinks)](const model::ModelRequest& request) {
    FakeReply reply = script(request);
    reply.holds = task_of(request) == "got_task";
    return reply;
  };
  world.run(Kind::got, "Go");
  EXPECT_FALSE(world.result);
  EXPECT_EQ(world.model->now, 2U);
  world.cancel.cancel("Enough.");
  world.scheduler.run_ready();
  ASSERT_TRUE(world.result);
  EXPECT_EQ(world.result->end, End::cancelled);
  EXPECT_EQ(world.model->now, 0U);
}

TEST(Got, KilledRun_ResumesWithoutRepeatingTools) {
  const auto script = [](const model::ModelRequest& request) {
    if (task_of(request) == "got_plan") return FakeReply::text(kPlan);
    if (request.messages.back().role == model::Role::tool) {
      return FakeReply::text("Result of " + subject(request) + ".");
    }
    return FakeReply::call("call-" + subject(request), "echo", R"({"text":"x"})");
  };
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  world.model->script = script;
  world.run(Kind::got, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  const auto checkpoints = world.sink.all<runtime::Checkpoint>();
  ASSERT_GT(checkpoints.size(), 10U);
  for (std::size_t i = 0; i + 1 < checkpoints.size(); ++i) {
    const auto state = world.state_at(Kind::got, i);
    std::set<std::string> created;
    for (const auto& [id, task] : static_cast<const GotState&>(*state).tasks) {
      for (const model::Message& message : task.core.messages) {
        if (message.role == model::Role::tool) created.insert(message.tool_call_id);
      }
    }
    AgentWorld again;
    const auto echo = echo_tool();
    again.parts->tools.add(echo);
    again.model->script = script;
    graph::Entry entry;
    entry.node = *checkpoints[i].next;
    again.run_from(Kind::got, state->clone(), entry);
    ASSERT_EQ(again.result->end, End::finished) << i << again.error();
    EXPECT_EQ(again.outcome().reply, "Result of C.") << i;
    EXPECT_EQ(again.outcome().usage, world.outcome().usage) << i;
    EXPECT_EQ(created.size() + echo->calls.size(), 3U) << i;
    for (const std::string& call : echo->calls) EXPECT_FALSE(created.contains(call)) << i << call;
  }
}

TEST(Got, WrittenBytes_DoNotGrowQuadratically) {
  const auto bytes_of = [](int tasks) {
    std::string plan = R"({"nodes":[)";
    for (int i = 0; i < tasks; ++i)
      plan += std::string(i == 0 ? "" : ",") + R"("Do T)" + std::to_string(i) + "\"";
    plan += R"(],"edges":[)";
    for (int i = 1; i < tasks; ++i) {
      plan += std::string(i == 1 ? "" : ",") + "[\"task_" + std::to_string(i) + "\",\"task_" +
              std::to_string(i + 1) + "\"]";
    }
    plan += "]}";
    AgentWorld world;
    world.parts->limits.got_concurrency = 1;
    world.model->script = [plan](const model::ModelRequest& request) {
      if (task_of(request) == "got_plan") return FakeReply::text(plan);
      return FakeReply::text(std::string(20'000, 'x'));
    };
    world.run(Kind::got, "Go");
    EXPECT_EQ(world.result->end, End::finished) << world.error();
    return testing::transcript(world.sink).size();
  };
  EXPECT_LT(bytes_of(40), bytes_of(10) * 6);
}

// --- agot ------------------------------------------------------------------------------------

TEST(Agot, ComplexTask_IsExpandedBeforeDependants) {
  AgentWorld world;
  world.model->script = [](const model::ModelRequest& request) {
    const std::string task = task_of(request);
    if (task == "got_plan") {
      return FakeReply::text(
          R"({"nodes":[{"id":"a","description":"Analyze A"},{"id":"b","description":"Write B"}],"edges":[["a","b"]]})");
    }
    if (task == "got_complexity") {
      // Only the task of the plan is complex.
      const bool is_first =
          request.messages[0].content.find("Task: Analyze A\n") != std::string::npos;
      return FakeReply::text(is_first ? "Complex." : "simple");
    }
    if (task == "got_decompose") {
      return FakeReply::text(
          R"({"nodes":[{"id":"1","description":"Compare One"},{"id":"2","description":"Two"}],"edges":[]})");
    }
    return FakeReply::text("Result of " + subject(request) + ".");
  };
  world.run(Kind::agot, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_THAT(world.sink.all<runtime::GotExpand>(), ElementsAre(runtime::GotExpand{"a", 2, 4}));
  EXPECT_THAT(started(world), ElementsAre("a", "a_sub_1", "a_sub_2", "b"));
  EXPECT_EQ(world.outcome().reply, "Result of B.");
  const model::ModelRequest& last = world.model->requests.back();
  EXPECT_THAT(last.messages.at(1).content, HasSubstr("Result of 'a_sub_2'"));
}

TEST(Agot, SimpleTask_CostsNoQuestion) {
  AgentWorld world;
  world.model->script = simple_script(kPlan);
  world.run(Kind::agot, "Go");
  ASSERT_EQ(world.result->end, End::finished);
  for (const model::ModelRequest& request : world.model->requests) {
    EXPECT_NE(task_of(request), "got_complexity");
  }
}

TEST(Agot, UnreadableExpansion_IsLeftOutAndTold) {
  AgentWorld world;
  world.model->script = [script =
                             simple_script(R"({"nodes":[{"id":"a","description":"Analyze A"}]})")](
                            const model::ModelRequest& request) {
    if (task_of(request) == "got_complexity") return FakeReply::text("complex");
    if (task_of(request) == "got_decompose") return FakeReply::text("No idea.");
    return script(request);
  };
  world.run(Kind::agot, "Go");
  ASSERT_EQ(world.result->end, End::finished);
  EXPECT_THAT(world.sink.all<runtime::GotExpand>(), IsEmpty());
  EXPECT_THAT(testing::transcript(world.sink), HasSubstr("got_expand_refused"));
  EXPECT_EQ(world.outcome().reply, "Result of A.");
}

TEST(Agot, NodesOfGraph_AreLimited) {
  AgentWorld world;
  world.parts->limits.got_max_nodes = 9;
  world.model->script = [](const model::ModelRequest& request) {
    const std::string task = task_of(request);
    if (task == "got_plan") return FakeReply::text(R"({"nodes":["Analyze X","Analyze Y"]})");
    if (task == "got_complexity") return FakeReply::text("complex");
    if (task == "got_decompose") {
      return FakeReply::text(R"({"nodes":["Analyze 1","Analyze 2","Analyze 3"],"edges":[]})");
    }
    return FakeReply::text("Done.");
  };
  world.run(Kind::agot, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_LE(static_cast<const GotState&>(*world.result->state).graph.nodes.size(), 9U);
  EXPECT_THAT(world.sink.all<runtime::GotExpand>(), Not(IsEmpty()));
}

TEST(Agot, KillBetweenTaskAndExpansion_LosesNeither) {
  AgentWorld world;
  const auto script = [](const model::ModelRequest& request) {
    const std::string task = task_of(request);
    if (task == "got_plan") {
      return FakeReply::text(
          R"({"nodes":[{"id":"a","description":"Analyze A"},{"id":"b","description":"Do B"}],"edges":[["a","b"]]})");
    }
    if (task == "got_complexity") return FakeReply::text("complex");
    if (task == "got_decompose") return FakeReply::text(R"({"nodes":["Do 1","Do 2"]})");
    return FakeReply::text("Result of " + subject(request) + ".");
  };
  world.model->script = script;
  world.run(Kind::agot, "Go");
  const auto checkpoints = world.sink.all<runtime::Checkpoint>();
  for (std::size_t i = 0; i + 1 < checkpoints.size(); ++i) {
    AgentWorld again;
    again.model->script = script;
    graph::Entry entry;
    entry.node = *checkpoints[i].next;
    again.run_from(Kind::agot, world.state_at(Kind::agot, i), entry);
    ASSERT_EQ(again.result->end, End::finished) << i << again.error();
    const auto& state = static_cast<const GotState&>(*again.result->state);
    EXPECT_EQ(state.graph.nodes.size(), 4U) << i;
    EXPECT_EQ(again.outcome().reply, world.outcome().reply) << i;
  }
}

}  // namespace
}  // namespace parley::agent
