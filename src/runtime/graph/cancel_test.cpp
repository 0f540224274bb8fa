// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/support/graph/engine_fixture.h"

namespace parley::graph {
namespace {

using testing::Contains;
using testing::ElementsAre;
using End = ExecutionResult::End;

class CancelTest : public EngineTest {
 protected:
  // One node that keeps its `done` in `pending_` and appends "half" to the log.
  std::shared_ptr<const Graph> waiting() {
    GraphBuilder builder;
    builder.node("a", [this](NodeContext& context, State& state, NodeDone done) {
      trace(state).log.emplace_back("half");
      context_ = &context;
      state_ = &trace(state);
      pending_.push_back(std::move(done));
    });
    builder.edge("__start__", "a").edge("a", "__end__");
    return compiled(builder);
  }

  NodeContext* context_ = nullptr;
  TraceState* state_ = nullptr;
  std::vector<NodeDone> pending_;
};

TEST_F(CancelTest, RunCancelledBeforeStart_DoesNothing) {
  start(waiting());
  source_.cancel("changed my mind");
  scheduler_.run_ready();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::cancelled);
  EXPECT_TRUE(sink_.entries.empty());
  EXPECT_EQ(result_->node_id, "run-0");
}

TEST_F(CancelTest, NodeStoppingAtOnce_EndsRunWithoutCheckpoint) {
  core::CancelToken::Registration registration;
  GraphBuilder builder;
  builder.node("a", [&](NodeContext& context, State&, NodeDone done) {
    registration = context.cancel().on_cancel([done = std::move(done)]() mutable {
      done(core::fail(core::Code::cancelled, "I stopped."));
    });
  });
  builder.edge("__start__", "a").edge("a", "__end__");
  run(compiled(builder));
  source_.cancel("stop");
  scheduler_.run_ready();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::cancelled);
  EXPECT_FALSE(result_->error);
  EXPECT_THAT(story(), ElementsAre("node_enter a run-a-0", "node_exit a cancelled: stop"));
  EXPECT_EQ(scheduler_.timers(), 0U);
}

TEST_F(CancelTest, AnswerAfterCancel_IsIgnored) {
  run(waiting());
  source_.cancel("stop");
  pending_.at(0)(Next::edges());
  scheduler_.run_ready();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::cancelled);
  EXPECT_EQ(state().words(), "half");
}

TEST_F(CancelTest, UnstoppableNode_IsLeftBehindAfterPatience) {
  run(waiting());
  source_.cancel("stop");
  scheduler_.advance(kCancelPatience - core::Millis(1));
  EXPECT_FALSE(result_);
  scheduler_.advance(core::Millis(1));
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::cancelled);
  EXPECT_EQ(state().words(), "half");
}

TEST_F(CancelTest, NodeLeftBehind_HasNoEffect) {
  run(waiting());
  source_.cancel("stop");
  scheduler_.advance(kCancelPatience);
  ASSERT_TRUE(result_);
  const std::size_t before = sink_.entries.size();
  // The abandoned node's context and state are still valid.
  state_->log.emplace_back("late");
  context_->emit(runtime::MessageChunk{"late", "a"});
  context_->checkpoint();
  core::Code durable = core::Code::unknown;
  core::Code invoked = core::Code::unknown;
  context_->when_durable([&](const core::Result<void>& done) { durable = done.error().code; });
  context_->invoke(
      waiting(), std::make_unique<TraceState>(), {},
      [&](const core::Result<std::unique_ptr<State>>& done) { invoked = done.error().code; });
  scheduler_.run_ready();
  pending_.at(0)(Next::edges());
  scheduler_.run_ready();
  EXPECT_EQ(sink_.entries.size(), before);
  EXPECT_EQ(state().words(), "half");
  EXPECT_EQ(durable, core::Code::cancelled);
  EXPECT_EQ(invoked, core::Code::cancelled);
}

TEST_F(CancelTest, RunBetweenTurns_IsCancelled) {
  GraphBuilder builder;
  builder.node("a", says("a")).edge("__start__", "a");
  builder.conditional("a", [](const State&) { return "a"; });
  start(compiled(builder, {1'000'000}));
  scheduler_.post([this] { source_.cancel("stop"); });
  scheduler_.run_ready();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::cancelled);
  EXPECT_LT(result_->steps, 100U);
}

TEST_F(CancelTest, NodeCancellingItsRun_EndsRun) {
  GraphBuilder builder;
  builder.node("a", [this](NodeContext&, State&, NodeDone done) {
    source_.cancel("by itself");
    done(Next::edges());
  });
  builder.edge("__start__", "a").edge("a", "__end__");
  run(compiled(builder));
  EXPECT_EQ(result_->end, End::cancelled);
  EXPECT_THAT(story(), Contains("node_exit a cancelled: by itself"));
}

TEST_F(CancelTest, CancelAfterEnd_ChangesNothing) {
  run(compiled(row({"a"})));
  const std::size_t before = sink_.entries.size();
  source_.cancel("late");
  scheduler_.run_ready();
  EXPECT_EQ(result_->end, End::finished);
  EXPECT_EQ(sink_.entries.size(), before);
}

TEST_F(CancelTest, RunWithLostAnswer_CanBeCancelled) {
  run(waiting());
  pending_.clear();
  scheduler_.run_ready();
  EXPECT_FALSE(result_);
  source_.cancel("stop");
  scheduler_.advance(kCancelPatience);
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::cancelled);
}

}  // namespace
}  // namespace parley::graph
