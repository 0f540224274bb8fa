// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/invoke_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "runtime/tool/batch.h"
#include "tests/support/agent/agent_world.h"

namespace parley::agent {
namespace {

using testing::AgentWorld;
using ::testing::AllOf;
using testing::echo_tool;
using ::testing::ElementsAre;
using testing::FakeApprover;
using testing::FakeReply;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using End = graph::ExecutionResult::End;

// A world whose agent can call others; all of them use the world's model.
class InvokeAgent : public ::testing::Test {
 protected:
  InvokeAgent() {
    world.parts->context.working_folder = std::filesystem::canonical(::testing::TempDir()).string();
    use(3);
  }

  void use(std::size_t max_depth) {
    world.parts->tools.add(make_invoke_agent(
        [this](const SubAgentRequest& request, core::Scheduler&, auto done) {
          requests.push_back(request);
          if (request.agent == "nobody") {
            done(core::fail(core::Code::not_found, "There is no agent 'nobody'."));
            return;
          }
          auto parts = std::make_shared<AgentParts>();
          parts->model = world.model;
          parts->tools = world.parts->tools;
          parts->approver = world.parts->approver;
          parts->system_prompt = "You are " + request.agent + ".";
          parts->entropy = &world.entropy;
          done(SubAgent{Kind::react, std::move(parts)});
        },
        max_depth));
  }

  static std::string order(const std::string& agents, const std::string& more = "") {
    return R"({"agents":[)" + agents + "]" + more + "}";
  }
  static std::string one(const std::string& agent, const std::string& task) {
    return R"({"agent":")" + agent + R"(","task":")" + task + "\"}";
  }

  std::string result() const { return world.sink.all<runtime::ToolEnd>().back().result; }

  AgentWorld world;
  std::vector<SubAgentRequest> requests;
};

bool is_caller(const model::ModelRequest& request) {
  return request.messages.front().content == "You are helpful.";
}

// The argument async does not detach the call: results come with the call in every case.
TEST_F(InvokeAgent, AsyncArgument_LosesNoResult) {
  world.model->replies = {
      FakeReply::call("c1", "invoke_agent", order(one("poet", "Rhyme"), R"(,"async":true)")),
      FakeReply::text("Roses."), FakeReply::text("It rhymes.")};
  world.run(Kind::react, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_EQ(result(), "Roses.");
}

TEST_F(InvokeAgent, Result_IsTextOfSubAgent_EventsAreNested) {
  world.model->replies = {FakeReply::call("c1", "invoke_agent", order(one("poet", "Rhyme"))),
                          FakeReply::text("Roses."), FakeReply::text("It rhymes.")};
  world.run(Kind::react, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_EQ(result(), "Roses.");
  EXPECT_EQ(world.outcome().reply, "It rhymes.");
  const auto nested = world.sink.all<runtime::Custom>();
  ASSERT_THAT(nested, SizeIs(4));
  EXPECT_EQ(nested[1].value,
            R"({"sub_agent":"poet","call_id":"c1","depth":1,"index":0,"event":)"
            R"({"type":"message_chunk","content":"Roses.","id":"think","node_id":"run-think-0"}})");
  EXPECT_EQ(requests.at(0).depth, 1);
  EXPECT_EQ(world.model->requests.at(1).messages.back().content, "Rhyme");
}

// Sum of all usage events of the stream, including those of sub-agents.
runtime::Usage counted(const runtime::RecordingSink& sink) {
  std::optional<runtime::Usage> all;
  for (const auto& entry : sink.entries) {
    if (const auto usage = runtime::usage_in(entry.event)) add_usage(all, *usage);
  }
  return all.value_or(runtime::Usage{});
}

TEST_F(InvokeAgent, UsageOfSubAgents_CountsInRun) {
  world.model->script = [](const model::ModelRequest& request) {
    const std::string who = request.messages.front().content;
    if (request.messages.back().role == model::Role::tool) return FakeReply::text("Done.");
    if (who == "You are worker.") return FakeReply::text("Worked.");
    if (who == "You are boss.") {
      return FakeReply::call("b", "invoke_agent", order(one("worker", "X")));
    }
    return FakeReply::call("c1", "invoke_agent",
                           order(one("boss", "A") + "," + one("worker", "B")));
  };
  world.run(Kind::react, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  // Two calls of the run, two of the boss, one of each worker.
  EXPECT_EQ(world.outcome().usage, (runtime::Usage{60, 30, 90}));
  EXPECT_EQ(counted(world.sink), (runtime::Usage{60, 30, 90}));
  const auto checkpoints = world.sink.all<runtime::Checkpoint>();
  EXPECT_EQ(outcome_of(Kind::react, *world.state_at(Kind::react, checkpoints.size() - 1)).usage,
            world.outcome().usage);
}

TEST_F(InvokeAgent, UsageOfFailedOrBatchedAgent_IsCounted) {
  world.parts->tools.add(tool::make_batch(world.parts->tools));
  world.model->script = [](const model::ModelRequest& request) {
    if (request.messages.back().role == model::Role::tool) return FakeReply::text("Done.");
    if (is_caller(request)) {
      return FakeReply::call(
          "c1", "batch",
          R"({"calls":[{"tool":"invoke_agent","parameters":)" + order(one("poet", "T")) + "}]}");
    }
    return FakeReply{};  // empty reply, four times
  };
  world.run(Kind::react, "Go");
  world.scheduler.advance(std::chrono::seconds(10));
  ASSERT_TRUE(world.result);
  EXPECT_THAT(result(), HasSubstr("empty reply"));
  EXPECT_EQ(world.outcome().usage, (runtime::Usage{60, 30, 90}));
  EXPECT_EQ(counted(world.sink), (runtime::Usage{60, 30, 90}));
}

TEST_F(InvokeAgent, AtMostThreeAgents_WorkConcurrently) {
  std::string agents = one("a1", "T");
  for (int i = 2; i <= 5; ++i) agents += "," + one("a" + std::to_string(i), "T");
  world.model->script = [&](const model::ModelRequest& request) {
    if (!is_caller(request)) {
      FakeReply reply = FakeReply::text("Mine: " + request.messages.front().content);
      reply.holds = true;
      return reply;
    }
    if (request.messages.back().role == model::Role::tool) return FakeReply::text("Done.");
    return FakeReply::call("c1", "invoke_agent", order(agents));
  };
  world.run(Kind::react, "Go");
  EXPECT_EQ(world.model->held(), 3U);
  for (int i = 0; i < 5; ++i) {
    world.model->release();
    world.scheduler.run_ready();
  }
  ASSERT_TRUE(world.result);
  EXPECT_EQ(world.model->most, 3U);
  EXPECT_THAT(result(), AllOf(HasSubstr("[1] a1: Mine: You are a1."), HasSubstr("[5] a5: Mine:")));
}

TEST_F(InvokeAgent, ThreeNestedCallers_DoNotDeadlock) {
  const std::string three = one("boss", "A") + "," + one("boss", "B") + "," + one("boss", "C");
  world.model->script = [&, n = 0](const model::ModelRequest& request) mutable {
    const std::string who = request.messages.front().content;
    if (who == "You are worker.") return FakeReply::text("Worked.");
    if (request.messages.back().role == model::Role::tool) {
      return FakeReply::text("Got: " + request.messages.back().content);
    }
    const std::string id = "c" + std::to_string(++n);
    if (who == "You are boss.") {
      return FakeReply::call(id, "invoke_agent",
                             order(one("worker", "X") + "," + one("worker", "Y")));
    }
    return FakeReply::call(id, "invoke_agent", order(three));
  };
  world.run(Kind::react, "Go");
  ASSERT_TRUE(world.result);
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  EXPECT_EQ(requests.size(), 3U + 6U);
  EXPECT_LE(world.model->most, 3U);
  EXPECT_THAT(result(), HasSubstr("[3] boss: Got:"));
}

TEST_F(InvokeAgent, Depth_IsLimitedInWords) {
  use(2);
  world.model->script = [](const model::ModelRequest& request) {
    if (request.messages.back().role == model::Role::tool) {
      return FakeReply::text("Heard: " + request.messages.back().content);
    }
    return FakeReply::call("c", "invoke_agent", order(one("again", "Go")));
  };
  world.run(Kind::react, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_EQ(requests[1].depth, 2);
  EXPECT_THAT(result(), HasSubstr("at most 2 levels deep"));
}

TEST_F(InvokeAgent, MissingAgent_FailsAlone) {
  world.model->script = [](const model::ModelRequest& request) {
    if (!is_caller(request)) return FakeReply::text("Here.");
    if (request.messages.back().role == model::Role::tool) return FakeReply::text("Done.");
    return FakeReply::call("c1", "invoke_agent",
                           order(one("nobody", "T") + "," + one("poet", "T")));
  };
  world.run(Kind::react, "Go");
  EXPECT_EQ(result(), "[1] nobody failed: There is no agent 'nobody'.\n\n[2] poet: Here.");
  EXPECT_FALSE(world.sink.all<runtime::ToolEnd>().back().is_error);
}

TEST_F(InvokeAgent, FirstFailure_EndsOthersOnRequest) {
  world.model->script = [](const model::ModelRequest& request) {
    if (!is_caller(request)) {
      FakeReply reply = FakeReply::text("Here.");
      reply.holds = true;
      return reply;
    }
    if (request.messages.back().role == model::Role::tool) return FakeReply::text("Done.");
    return FakeReply::call(
        "c1", "invoke_agent",
        order(one("poet", "T") + "," + one("nobody", "T"), R"(,"fail_fast":true)"));
  };
  world.run(Kind::react, "Go");
  ASSERT_TRUE(world.result);
  EXPECT_TRUE(world.sink.all<runtime::ToolEnd>().back().is_error);
  EXPECT_THAT(result(), HasSubstr("[1] poet failed: The sub-agent was cancelled."));
}

TEST_F(InvokeAgent, CancelOfRun_ReachesSubAgents) {
  world.model->script = [](const model::ModelRequest& request) {
    if (is_caller(request)) {
      return FakeReply::call("c1", "invoke_agent", order(one("poet", "T")));
    }
    FakeReply reply;
    reply.holds = true;
    return reply;
  };
  world.run(Kind::react, "Go");
  EXPECT_EQ(world.model->now, 1U);
  world.cancel.cancel("Enough.");
  world.scheduler.run_ready();
  ASSERT_TRUE(world.result);
  EXPECT_EQ(world.result->end, End::cancelled);
  EXPECT_EQ(world.model->now, 0U);
}

TEST_F(InvokeAgent, FolderOutsideCallers_IsRefused) {
  world.model->replies = {
      FakeReply::call("c1", "invoke_agent",
                      R"({"agents":[{"agent":"poet","task":"T","working_folder":"/"}]})"),
      FakeReply::text("Well.")};
  world.run(Kind::react, "Go");
  EXPECT_THAT(result(), HasSubstr("outside the working folder"));
  EXPECT_THAT(requests, SizeIs(0));
}

TEST_F(InvokeAgent, FolderWithNul_IsRefused) {
  world.model->replies = {
      FakeReply::call("c1", "invoke_agent",
                      R"({"agents":[{"agent":"poet","task":"T","working_folder":".\u0000/x"}]})"),
      FakeReply::text("Well.")};
  world.run(Kind::react, "Go");
  EXPECT_THAT(result(), HasSubstr("NUL"));
  EXPECT_THAT(requests, SizeIs(0));
}

TEST_F(InvokeAgent, ApprovalInSubAgent_IsAskedInCallerStream) {
  const auto echo = echo_tool();
  echo->approval = tool::Approval::ask;
  world.parts->tools.add(echo);
  FakeApprover approver;
  approver.answer = Approver::Verdict{true, {}};
  world.parts->approver = &approver;
  world.model->replies = {FakeReply::call("c1", "invoke_agent", order(one("poet", "T"))),
                          FakeReply::call("c1", "echo", R"({"text":"x"})"),
                          FakeReply::text("Said."), FakeReply::text("Done.")};
  world.run(Kind::react, "Go");
  ASSERT_EQ(world.result->end, End::finished) << world.error();
  // The sub-agent's call has a unique id, so that the answer reaches it.
  EXPECT_THAT(world.sink.all<runtime::ToolApproval>(),
              ElementsAre(runtime::ToolApproval{"c1_2", "echo", R"({"text":"x"})"}));
  EXPECT_THAT(echo->calls, ElementsAre("c1_2"));
}

}  // namespace
}  // namespace parley::agent
