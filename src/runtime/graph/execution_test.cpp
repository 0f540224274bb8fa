// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph/execution.h"

#include <gmock/gmock.h>

#include <array>
#include <set>
#include <thread>

#include "base/core/id.h"
#include "runtime/graph/outcome.h"
#include "runtime/graph/run_record.h"
#include "tests/support/graph/engine_fixture.h"

namespace parley::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using End = ExecutionResult::End;

class ExecutionTest : public EngineTest {};

TEST_F(ExecutionTest, EachNode_EmitsEnterExitUpdateCheckpoint) {
  run(compiled(row({"a", "b"})));
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::finished);
  EXPECT_EQ(state().words(), "a b");
  EXPECT_THAT(story(), ElementsAre("node_enter a run-a-0", "node_exit a Ok", "updates a",
                                   "checkpoint b 1", "node_enter b run-b-1", "node_exit b Ok",
                                   "updates b", "checkpoint __end__ 2", "values"));
  EXPECT_EQ(result_->steps, 2U);
  EXPECT_EQ(result_->node_id, "run-b-1");
  EXPECT_FALSE(result_->error);
}

TEST_F(ExecutionTest, Callbacks_FollowReturnOfStart) {
  start(compiled(row({"a"})));
  EXPECT_TRUE(sink_.entries.empty());
  EXPECT_FALSE(result_);
  scheduler_.run_ready();
  EXPECT_TRUE(result_);
}

TEST_F(ExecutionTest, Updates_HoldOnlyNewLogEntries) {
  run(compiled(row({"a", "b", "c"})));
  std::vector<std::string> states;
  for (const auto& updates : sink_.all<runtime::Updates>()) states.push_back(updates.state);
  EXPECT_THAT(states,
              ElementsAre(R"({"number":0,"log":["a"]})", R"({"number":0,"log":["b"],"log_from":1})",
                          R"({"number":0,"log":["c"],"log_from":2})"));
  EXPECT_EQ(sink_.all<runtime::Values>().at(0).state, R"({"number":0,"log":["a","b","c"]})");
}

TEST_F(ExecutionTest, ChangedLog_IsWrittenWhole) {
  GraphBuilder builder;
  builder.node("a", says("a")).node("cut", [](NodeContext&, State& state, NodeDone done) {
    trace(state).log.assign({"summary", "more"});
    ++trace(state).revision;
    done(Next::edges());
  });
  builder.edge("__start__", "a").edge("a", "cut").edge("cut", "__end__");
  run(compiled(builder));
  EXPECT_EQ(sink_.all<runtime::Updates>().at(1).state, R"({"number":0,"log":["summary","more"]})");
  EXPECT_EQ(folded(1)->words(), "summary more");
}

TEST_F(ExecutionTest, Checkpoint_HasUuidTimeThreadAndNext) {
  run(compiled(row({"a", "b"})));
  const std::vector<runtime::Checkpoint> all = sink_.all<runtime::Checkpoint>();
  ASSERT_EQ(all.size(), 2U);
  std::set<std::string> ids;
  for (const runtime::Checkpoint& checkpoint : all) {
    EXPECT_EQ(checkpoint.checkpoint_id.size(), 36U);
    EXPECT_TRUE(ids.insert(checkpoint.checkpoint_id).second);
    EXPECT_EQ(checkpoint.timestamp, "1700000000000");
    EXPECT_EQ(checkpoint.thread_id, "thread");
    EXPECT_FALSE(checkpoint.checkpoint_ns);
  }
  EXPECT_EQ(all[0].next, "b");
  EXPECT_EQ(all[1].next, "__end__");
}

TEST_F(ExecutionTest, NoCheckpoints_OnlyUpdatesAreEmitted) {
  checkpoints_ = false;
  run(compiled(row({"a"})));
  EXPECT_THAT(story(),
              ElementsAre("node_enter a run-a-0", "node_exit a Ok", "updates a", "values"));
}

TEST_F(ExecutionTest, ValuesAfterEachNode_AreEmittedOnRequest) {
  values_each_node_ = true;
  run(compiled(row({"a"})));
  EXPECT_THAT(story(), ElementsAre("node_enter a run-a-0", "node_exit a Ok", "values", "updates a",
                                   "checkpoint __end__ 1", "values"));
}

TEST_F(ExecutionTest, ConditionalEdge_FollowsRouter) {
  GraphBuilder builder;
  builder.node("think", [](NodeContext&, State& state, NodeDone done) {
    ++trace(state).number;
    done(Next::edges());
  });
  builder.node("act", says("act")).edge("__start__", "think").edge("act", "think");
  builder.conditional("think",
                      [](const State& state) {
                        return static_cast<const TraceState&>(state).number < 3 ? "more" : "enough";
                      },
                      {{"more", "act"}, {"enough", "__end__"}});
  run(compiled(builder));
  EXPECT_EQ(result_->end, End::finished);
  EXPECT_EQ(state().words(), "act act");
  EXPECT_THAT(node_ids(),
              ElementsAre("run-think-0", "run-act-1", "run-think-2", "run-act-3", "run-think-4"));
}

TEST_F(ExecutionTest, RouterWithoutMap_NamesNode) {
  GraphBuilder builder;
  builder.node("a", says("a")).node("b", says("b"));
  builder.conditional("__start__", [](const State&) { return "b"; });
  builder.conditional("a", [](const State&) { return "__end__"; });
  builder.conditional("b",
                      [](const State& state) { return state.log_size() < 2 ? "a" : "__end__"; });
  run(compiled(builder));
  EXPECT_EQ(state().words(), "b a");
}

TEST_F(ExecutionTest, RouterNamingUnknownTarget_FailsNodeInWords) {
  GraphBuilder builder;
  builder.node("a", says("a")).edge("__start__", "a");
  builder.conditional("a", [](const State&) { return "nowhere"; }, {{"x", "__end__"}});
  run(compiled(builder));
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_EQ(result_->node, "a");
  EXPECT_THAT(result_->error->message, HasSubstr("\"nowhere\""));
  EXPECT_THAT(story(),
              ElementsAre("node_enter a run-a-0", "node_exit a " + result_->error->message));
}

TEST_F(ExecutionTest, Node_MayChooseSuccessor) {
  GraphBuilder builder;
  builder.node("jump", [](NodeContext&, State&, NodeDone done) { done(Next::to("c")); });
  builder.node("b", says("b")).node("c", [](NodeContext&, State& state, NodeDone done) {
    trace(state).log.emplace_back("c");
    done(Next::end());
  });
  builder.edge("__start__", "jump").edge("jump", "b").edge("b", "c").edge("c", "__end__");
  run(compiled(builder));
  EXPECT_EQ(result_->end, End::finished);
  EXPECT_EQ(state().words(), "c");
}

TEST_F(ExecutionTest, NodeChoosingUnknownNode_Fails) {
  GraphBuilder builder;
  builder.node("a", [](NodeContext&, State&, NodeDone done) { done(Next::to("b")); });
  builder.edge("__start__", "a").edge("a", "__end__");
  run(compiled(builder));
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_THAT(result_->error->message, HasSubstr("\"b\""));
}

TEST_F(ExecutionTest, FailedRun_EndsWithExitOfNode) {
  GraphBuilder builder;
  builder.node("a", says("a")).node("b", [](NodeContext& context, State&, NodeDone done) {
    context.emit(runtime::MessageChunk{"half a", context.name()});
    done(core::fail(core::Code::unavailable, "The model is gone."));
  });
  builder.edge("__start__", "a").edge("a", "b").edge("b", "__end__");
  run(compiled(builder));
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_EQ(result_->error->code, core::Code::unavailable);
  EXPECT_EQ(result_->node, "b");
  EXPECT_EQ(result_->node_id, "run-b-1");
  EXPECT_EQ(state().words(), "a");
  EXPECT_THAT(story(), ElementsAre("node_enter a run-a-0", "node_exit a Ok", "updates a",
                                   "checkpoint b 1", "node_enter b run-b-1", "message_chunk half a",
                                   "node_exit b The model is gone."));
}

TEST_F(ExecutionTest, NodeThatThrows_FailsOnlyItsRun) {
  GraphBuilder builder;
  builder.node("a", [](NodeContext&, State&, NodeDone) { throw std::runtime_error("a bug"); });
  builder.edge("__start__", "a").edge("a", "__end__");
  run(compiled(builder));
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_EQ(result_->error->code, core::Code::internal);
  EXPECT_THAT(result_->error->message, HasSubstr("a bug"));
}

TEST_F(ExecutionTest, NodeForgettingAnswer_FailsRun) {
  GraphBuilder builder;
  builder.node("a", [](NodeContext&, State&, NodeDone) {});
  builder.edge("__start__", "a").edge("a", "__end__");
  run(compiled(builder));
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->error->code, core::Code::internal);
}

TEST_F(ExecutionTest, FirstAnswerOfNode_Counts) {
  GraphBuilder builder;
  builder.node("a", [](NodeContext&, State&, NodeDone done) {
    done(Next::edges());
    done(core::fail(core::Code::internal, "again"));
  });
  builder.edge("__start__", "a").edge("a", "__end__");
  run(compiled(builder));
  EXPECT_EQ(result_->end, End::finished);
}

TEST_F(ExecutionTest, StepLimit_EndsEndlessRun) {
  GraphBuilder builder;
  builder.node("a", says("a")).edge("__start__", "a");
  builder.conditional("a", [](const State&) { return "a"; });
  run(compiled(builder, {5}));
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_EQ(result_->error->code, core::Code::resource_exhausted);
  EXPECT_EQ(result_->node, "a");
  EXPECT_EQ(result_->steps, 5U);
  EXPECT_EQ(state().log.size(), 5U);
}

TEST_F(ExecutionTest, ResumedRuns_ContinueStepCount) {
  GraphBuilder builder;
  builder.node("a", says("a")).edge("__start__", "a");
  builder.conditional("a", [](const State&) { return "a"; });
  run(compiled(builder, {5}), Entry{"a", 3, 8, "run-a-7", {}});
  EXPECT_EQ(result_->error->code, core::Code::resource_exhausted);
  EXPECT_THAT(node_ids(), ElementsAre("run-a-8", "run-a-9"));
}

TEST_F(ExecutionTest, Interrupt_Checkpoints_ResumesWithAnswer) {
  GraphBuilder builder;
  builder.node("a", says("a")).node("ask", [](NodeContext& context, State& state, NodeDone done) {
    if (!context.resume_value()) {
      trace(state).log.emplace_back("asked");
      done(Next::interrupt(R"({"question":"sure?"})"));
      return;
    }
    trace(state).log.push_back(*context.resume_value());
    done(Next::edges());
  });
  builder.node("b", [](NodeContext& context, State& state, NodeDone done) {
    trace(state).log.emplace_back(context.resume_value() ? "stale" : "b");
    done(Next::edges());
  });
  builder.edge("__start__", "a").edge("a", "ask").edge("ask", "b").edge("b", "__end__");
  const auto graph = compiled(builder);
  run(graph);
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::interrupted);
  EXPECT_EQ(result_->node, "ask");
  EXPECT_EQ(result_->payload, R"({"question":"sure?"})");
  EXPECT_THAT(story(), ElementsAre("node_enter a run-a-0", "node_exit a Ok", "updates a",
                                   "checkpoint ask 1", "node_enter ask run-ask-1",
                                   R"(node_exit ask interrupted: {"question":"sure?"})",
                                   "checkpoint ask 1"));
  std::unique_ptr<TraceState> kept = folded(1);
  EXPECT_EQ(kept->words(), "a asked");
  run(graph, Entry{"ask", 1, 2, result_->node_id, "yes"}, std::move(kept));
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::finished);
  EXPECT_EQ(state().words(), "a asked yes b");
  EXPECT_EQ(node_ids().at(2), "run-ask-2");
}

TEST_F(ExecutionTest, RunResumedAtEnd_IsFinished) {
  run(compiled(row({"a"})), Entry{"__end__", 1, 1, "run-a-0", {}});
  EXPECT_EQ(result_->end, End::finished);
  EXPECT_THAT(story(), ElementsAre("values"));
  EXPECT_EQ(sink_.entries.at(0).node_id, "run-a-0");
}

TEST_F(ExecutionTest, RunResumedAtUnknownNode_IsRefused) {
  run(compiled(row({"a"})), Entry{"gone", 1, 1, "", {}});
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_EQ(result_->error->code, core::Code::not_found);
  EXPECT_EQ(result_->node_id, "run-0");
}

TEST_F(ExecutionTest, CheckpointInsideNode_ReentersNode) {
  GraphBuilder builder;
  NodeDone pending;
  builder.node("a", says("a")).node("slow", [&](NodeContext& context, State& state, NodeDone done) {
    trace(state).log.emplace_back("half");
    context.checkpoint();
    pending = std::move(done);
  });
  builder.edge("__start__", "a").edge("a", "slow").edge("slow", "__end__");
  run(compiled(builder));
  EXPECT_FALSE(result_);
  const std::vector<runtime::Checkpoint> all = sink_.all<runtime::Checkpoint>();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].next, "slow");
  EXPECT_EQ(all[1].step, 1);
  EXPECT_EQ(all[1].state, R"({"number":0,"log":["half"],"log_from":1})");
  pending(Next::edges());
  scheduler_.run_ready();
  EXPECT_EQ(result_->end, End::finished);
  // Updates are folded without the checkpoint between them.
  EXPECT_EQ(sink_.all<runtime::Updates>().at(1).state,
            R"({"number":0,"log":["half"],"log_from":1})");
  EXPECT_EQ(sink_.all<runtime::Checkpoint>().at(2).state, R"({"number":0,"log":[],"log_from":2})");
}

TEST_F(ExecutionTest, HundredThousandSteps_NeedNoStack_Yield) {
  GraphBuilder builder;
  builder.node("a", [](NodeContext&, State& state, NodeDone done) {
    ++trace(state).number;
    done(Next::edges());
  });
  builder.edge("__start__", "a").conditional("a", [](const State& state) {
    return static_cast<const TraceState&>(state).number < 100'000 ? "a" : "__end__";
  });
  checkpoints_ = false;
  start(compiled(builder, {1'000'000}));
  int turns = 0;
  std::function<void()> other = [&] {
    if (result_) return;
    ++turns;
    scheduler_.post([&] { other(); });
  };
  scheduler_.post([&] { other(); });
  scheduler_.run_ready();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::finished);
  EXPECT_GE(turns, 100'000 / RunRecord::kStepsPerTurn - 1);
}

TEST_F(ExecutionTest, ThousandsOfRuns_ShareSingleThread) {
  constexpr int kRuns = 3'000;
  std::vector<NodeDone> waiting;
  GraphBuilder builder;
  builder.node("wait",
               [&](NodeContext&, State&, NodeDone done) { waiting.push_back(std::move(done)); });
  builder.node("b", says("b"));
  builder.edge("__start__", "wait").edge("wait", "b").edge("b", "__end__");
  const auto graph = compiled(builder);
  int finished = 0;
  for (int i = 0; i < kRuns; ++i) {
    Execution::start(graph, std::make_unique<TraceState>(),
                     ExecutionSetup{scheduler_, entropy_, sink_, {}, "t", false, true, {}},
                     [&](ExecutionResult result) {
                       if (result.end == End::finished) ++finished;
                     });
  }
  scheduler_.run_ready();
  ASSERT_EQ(waiting.size(), static_cast<std::size_t>(kRuns));
  for (NodeDone& done : waiting) done(Next::edges());
  scheduler_.run_ready();
  EXPECT_EQ(finished, kRuns);
}

TEST_F(ExecutionTest, Graph_IsRunByManyThreads) {
  GraphBuilder builder;
  builder.node("a", says("a")).node("x", says("x")).node("y", says("y")).node("b", says("b"));
  builder.edge("__start__", "a").conditional("b", [](const State& state) {
    return state.log_size() < 200 ? "a" : "__end__";
  });
  builder.parallel("a", {"x", "y"}, "b",
                   [](State& into, const std::vector<std::unique_ptr<State>>& branches) {
                     trace(into).log.push_back(trace(*branches.back()).log.back());
                   });
  const auto graph = compiled(builder, {10'000});
  std::array<std::string, 4> ends;
  std::vector<std::thread> threads;
  for (std::string& end : ends) {
    threads.emplace_back([&graph, &end] {
      core::FakeClock clock;
      core::FakeScheduler scheduler(clock);
      core::SeededEntropy entropy(1);
      runtime::RecordingSink sink(scheduler);
      Execution::start(graph, std::make_unique<TraceState>(),
                       ExecutionSetup{scheduler, entropy, sink, {}, "t", false, true, {}},
                       [&end](ExecutionResult result) { end = trace(*result.state).words(); });
      scheduler.run_ready();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(ends[0], HasSubstr("a y b a y b"));
  EXPECT_THAT(ends, testing::Each(ends[0]));
}

TEST_F(ExecutionTest, UnfinishableRun_IsForgotten) {
  struct Forgotten : TraceState {
    explicit Forgotten(std::shared_ptr<int> held) : token(std::move(held)) {}
    std::shared_ptr<int> token;
  };
  auto token = std::make_shared<int>();
  {
    NodeDone pending;
    GraphBuilder builder;
    builder.node("a", [&](NodeContext&, State&, NodeDone done) { pending = std::move(done); });
    builder.edge("__start__", "a").edge("a", "__end__");
    run(compiled(builder), {}, std::make_unique<Forgotten>(token));
    EXPECT_EQ(token.use_count(), 2);
    source_ = core::CancelSource();
  }
  EXPECT_EQ(token.use_count(), 1);
  EXPECT_FALSE(result_);
}

TEST(GraphDeathTest, StateTakenTwice_EndsProcess) {
  StateBox box(std::make_unique<TraceState>());
  EXPECT_NE(box.take(), nullptr);
  EXPECT_DEATH(static_cast<void>(box.take()), "a state is taken twice");
}

TEST_F(ExecutionTest, DeathTest_StepsGoingBack_EndProcess) {
  const auto record = std::make_shared<RunRecord>(
      RunRecord::Setup{scheduler_, entropy_, sink_, "thread", false, true, 5, 0, {}});
  record->set_steps(6);
  EXPECT_DEATH(record->set_steps(6), "run of thread: its steps go from 6 to 6");
  record->checkpoint("run-a-0", TraceState(), {"a", {}, 6});
  EXPECT_DEATH(record->checkpoint("run-a-0", TraceState(), {"a", {}, 5}),
               "a checkpoint of step 5 follows one of step 6");
  EXPECT_DEATH(record->checkpoint("run-a-0", TraceState(), {"a", {}, 7}), "and 6 steps were taken");
}

}  // namespace
}  // namespace parley::graph
