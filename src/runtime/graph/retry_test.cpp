// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/support/graph/engine_fixture.h"

namespace parley::graph {
namespace {

using testing::ElementsAre;
using End = ExecutionResult::End;

class RetryTest : public EngineTest {
 protected:
  // A node that fails `times` times, then finishes.
  std::shared_ptr<const Graph> failing(int times, RetryPolicy retry) {
    GraphBuilder builder;
    builder.node(
        "a",
        [this, times](NodeContext& context, State& state, NodeDone done) {
          tries_.push_back(core::to_unix_ms(clock_.wall()) - 1'700'000'000'000);
          EXPECT_EQ(context.attempt(), static_cast<int>(tries_.size()));
          trace(state).log.emplace_back("try");
          if (context.attempt() > times) {
            done(Next::edges());
          } else {
            done(core::fail(core::Code::unavailable, "no " + std::to_string(context.attempt())));
          }
        },
        {retry});
    builder.edge("__start__", "a").edge("a", "__end__");
    return compiled(builder);
  }

  std::vector<std::int64_t> tries_;  // start times of the attempts, in ms since the test began
};

TEST_F(RetryTest, Waits_GrowToMaximum_EntryStaysSame) {
  run(failing(5, {5, core::Millis(100), 3.0, core::Millis(1'000)}));
  EXPECT_FALSE(result_);
  scheduler_.advance(core::Millis(10'000));
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::finished);
  EXPECT_THAT(tries_, ElementsAre(0, 100, 400, 1'300, 2'300, 3'300));
  EXPECT_THAT(story(), ElementsAre("node_enter a run-a-0", "node_exit a Ok", "updates a",
                                   "checkpoint __end__ 1", "values"));
}

TEST_F(RetryTest, EachAttempt_StartsWithStateOfEntry) {
  run(failing(2, {2, core::Millis(1), 1.0, core::Millis(1)}));
  scheduler_.advance(core::Millis(10));
  EXPECT_EQ(state().words(), "try");
}

TEST_F(RetryTest, LastError_FailsRun) {
  run(failing(9, {2, core::Millis(1), 1.0, core::Millis(1)}));
  scheduler_.advance(core::Millis(10));
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_EQ(result_->error->message, "no 3");
  EXPECT_THAT(story(), ElementsAre("node_enter a run-a-0", "node_exit a no 3"));
}

TEST_F(RetryTest, NoRetries_FirstErrorCounts) {
  run(failing(1, {}));
  EXPECT_EQ(result_->end, End::failed);
}

TEST_F(RetryTest, Cancel_EndsWaitAtOnce) {
  run(failing(1, {1, core::Millis(60'000), 1.0, core::Millis(60'000)}));
  source_.cancel("enough");
  scheduler_.run_ready();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::cancelled);
  EXPECT_EQ(scheduler_.timers(), 0U);
  EXPECT_THAT(story(), ElementsAre("node_enter a run-a-0", "node_exit a cancelled: enough"));
}

TEST_F(RetryTest, AttemptWithCheckpoint_RetriesFromThere) {
  GraphBuilder builder;
  builder.node("a",
               [](NodeContext& context, State& state, NodeDone done) {
                 if (trace(state).log.empty()) {
                   trace(state).log.emplace_back("paid");
                   context.checkpoint();
                   trace(state).log.emplace_back("lost");
                 }
                 if (context.attempt() == 1) {
                   done(core::fail(core::Code::unavailable, "later"));
                 } else {
                   done(Next::edges());
                 }
               },
               {{1, core::Millis(5), 1.0, core::Millis(5)}});
  builder.edge("__start__", "a").edge("a", "__end__");
  run(compiled(builder));
  scheduler_.advance(core::Millis(5));
  EXPECT_EQ(state().words(), "paid");
}

TEST_F(RetryTest, AnswerOfEarlierAttempt_IsIgnored) {
  std::vector<NodeDone> answers;
  GraphBuilder builder;
  builder.node("a",
               [&](NodeContext&, State&, NodeDone done) { answers.push_back(std::move(done)); },
               {{1, core::Millis(5), 1.0, core::Millis(5)}});
  builder.edge("__start__", "a").edge("a", "__end__");
  run(compiled(builder));
  answers.at(0)(core::fail(core::Code::unavailable, "later"));
  scheduler_.advance(core::Millis(5));
  ASSERT_EQ(answers.size(), 2U);
  answers.at(0)(Next::edges());
  scheduler_.run_ready();
  EXPECT_FALSE(result_);
  answers.at(1)(Next::edges());
  scheduler_.run_ready();
  EXPECT_EQ(result_->end, End::finished);
}

}  // namespace
}  // namespace parley::graph
