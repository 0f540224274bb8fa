// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Property test: for any behaviour of model, tools and people, every call in a request has an
// answer, every run ends, and every checkpoint can be read back.
#include <gtest/gtest.h>

#include <random>

#include "runtime/agent/agent.h"
#include "runtime/agent/got_state.h"
#include "tests/support/agent/agent_world.h"

namespace parley::agent {
namespace {

using testing::AgentWorld;
using testing::FakeReply;
using testing::FakeTool;
using testing::task_of;

// A model and tools with behaviour drawn from a seed.
class Chance {
 public:
  explicit Chance(std::uint32_t seed) : random_(seed) {}
  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool one_in(std::size_t n) { return below(n) == 0; }

  std::vector<model::ToolCall> calls() {
    static const char* const kNames[] = {"echo", "fail", "ask", "missing"};
    static const char* const kArguments[] = {R"({"text":"x"})", "{}",  "",
                                             "{\"text\":",      "[1]", R"("{\"text\":\"y\"}")"};
    static const char* const kIds[] = {"", "c", "d", "call"};
    std::vector<model::ToolCall> calls(1 + below(4));
    for (model::ToolCall& call : calls) {
      call = {kIds[below(4)], kNames[below(4)], kArguments[below(6)]};
    }
    return calls;
  }

  std::string words() {
    static const char* const kWords[] = {
        "All done.",
        "complex",
        R"({"nodes":[{"id":"a","description":"Analyze A"},{"id":"b","description":"B"}],"edges":[["a","b"]]})",
        R"({"nodes":["A","B"],"edges":[["task_1","task_2"],["task_2","task_1"]]})",
        R"({"nodes":["Compare A","B"]})",
        R"({"candidates":[{"thought":"T","tool_calls":[{"name":"fail","arguments":{}}]},{"thought":"U","tool_calls":[{"name":"echo","arguments":{"text":"u"}}]}]})",
        R"({"candidates":[{"thought":"Yes."},{"thought":"No."}]})",
        R"({"scores":[0.9,0.4]})",
        R"({"scores":[0.1,0.1]})",
        "```json\n{\"core_goal\":\"G\"}\n```",
    };
    return kWords[below(std::size(kWords))];
  }

  FakeReply reply() {
    FakeReply reply;
    if (one_in(25)) {
      reply.error = core::Error{core::Code::unavailable, "Away."};
      return reply;
    }
    if (one_in(25)) return reply;
    if (!one_in(4)) reply.chunks.push_back(words());
    if (reply.chunks.empty() || one_in(3)) reply.calls = calls();
    if (one_in(10)) reply.retried = core::Error{core::Code::unavailable, "Again."};
    reply.streams = !one_in(4);
    return reply;
  }

 private:
  std::mt19937 random_;
};

// Allows, refuses, or never answers.
class ChanceApprover final : public Approver {
 public:
  explicit ChanceApprover(Chance& chance) : chance_(chance) {}
  void decide(const tool::Tool& tool, const model::ToolCall& /*call*/,
              const boost::json::object& /*arguments*/, const core::CancelToken& /*cancel*/,
              Asking asking, absl::AnyInvocable<void(core::Result<Verdict>)> done) override {
    if (tool.default_approval() == tool::Approval::ask) asking({});
    done(Verdict{!chance_.one_in(3), "No."});
  }

 private:
  Chance& chance_;
};

void add_tools(AgentWorld& world) {
  world.parts->tools.add(testing::echo_tool());
  world.parts->tools.add(std::make_shared<FakeTool>(
      "fail", R"({"type":"object"})",
      [](const auto&, const auto&) { return tool::ToolResult::error("Broken."); }));
  const auto ask = testing::echo_tool("ask");
  ask->approval = tool::Approval::ask;
  world.parts->tools.add(ask);
}

void check_state(Kind kind, const graph::State& state) {
  EXPECT_TRUE(is_paired(messages_of(state), true));
  if (kind != Kind::got && kind != Kind::agot) return;
  for (const auto& [id, task] : static_cast<const GotState&>(state).tasks) {
    EXPECT_TRUE(is_paired(task.core.messages, true)) << id;
  }
}

void run_once(Kind kind, std::uint32_t seed) {
  SCOPED_TRACE(std::string(kind_name(kind)) + ", seed " + std::to_string(seed));
  Chance chance(seed);
  AgentWorld world;
  add_tools(world);
  ChanceApprover approver(chance);
  world.parts->approver = &approver;
  world.parts->limits.max_steps = 12;
  world.parts->limits.max_tool_calls = 3;
  if (chance.one_in(4)) world.model->limit = 700;
  world.model->script = [&chance](const model::ModelRequest&) { return chance.reply(); };
  world.run(kind, "Find what there is to find");
  world.scheduler.advance(std::chrono::seconds(60));
  ASSERT_TRUE(world.result);
  for (const model::ModelRequest& request : world.model->requests) {
    ASSERT_TRUE(is_paired(request.messages, false)) << task_of(request);
  }
  check_state(kind, *world.result->state);
  const std::size_t count = world.sink.all<runtime::Checkpoint>().size();
  for (std::size_t i = 0; i < count; ++i) check_state(kind, *world.state_at(kind, i));
  // The next run of the thread starts with a well-formed conversation, too.
  const auto next =
      first_state(Kind::react, *world.parts, model::Message::user("On"), world.result->state.get());
  EXPECT_TRUE(is_paired(messages_of(*next), false));
  if (world.result->end == graph::ExecutionResult::End::failed) {
    EXPECT_FALSE(world.error().empty());
  }
}

class Pairing : public ::testing::TestWithParam<Kind> {};

TEST_P(Pairing, EveryCall_HasAnswerInAnyCase) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    run_once(GetParam(), seed);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Pairing,
                         ::testing::Values(Kind::react, Kind::dup, Kind::tot, Kind::got,
                                           Kind::agot),
                         [](const auto& kind) { return std::string(kind_name(kind.param)); });

// A cancellation at any moment ends the run, and leaves no work in progress.
TEST_P(Pairing, CancelAtAnyMoment_EndsRun) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Chance chance(seed);
    AgentWorld world;
    add_tools(world);
    world.parts->limits.max_steps = 12;
    world.model->script = [&chance](const model::ModelRequest&) { return chance.reply(); };
    const std::size_t after = 1 + chance.below(40);
    std::size_t seen = 0;
    world.begin(GetParam(),
                first_state(GetParam(), *world.parts, model::Message::user("Go"), nullptr), {});
    std::function<void()> tick = [&] {
      if (++seen == after) {
        world.cancel.cancel("Enough.");
      } else {
        world.scheduler.post([&] { tick(); });
      }
    };
    world.scheduler.post([&] { tick(); });
    world.scheduler.run_ready();
    ASSERT_TRUE(world.result);
    EXPECT_EQ(world.model->now, 0U);
    check_state(GetParam(), *world.result->state);
  }
}

}  // namespace
}  // namespace parley::agent
