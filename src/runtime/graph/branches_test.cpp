// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/graph/engine_fixture.h"

namespace parley::graph {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using End = ExecutionResult::End;

class BranchesTest : public EngineTest {
 protected:
  // Appends to the log the entries that each branch added, in the order of declaration.
  static void append(State& into, std::vector<std::unique_ptr<State>> branches) {
    const std::size_t common = trace(into).log.size();
    for (const std::unique_ptr<State>& branch : branches) {
      const std::vector<std::string>& log = trace(*branch).log;
      trace(into).log.insert(trace(into).log.end(),
                             log.begin() + static_cast<std::ptrdiff_t>(common), log.end());
    }
  }
  // a -> (x, y, z in parallel) -> b
  static std::shared_ptr<const Graph> fork(NodeFn x, NodeFn y, NodeFn z,
                                           GraphOptions options = {}) {
    GraphBuilder builder;
    builder.node("a", says("a")).node("b", says("b"));
    builder.node("x", std::move(x)).node("y", std::move(y)).node("z", std::move(z));
    builder.edge("__start__", "a").edge("b", "__end__");
    builder.parallel("a", {"x", "y", "z"}, "b", append);
    return compiled(builder, options);
  }
  // A node that appends its name when `answers_[name]` is called.
  NodeFn waits(const std::string& name) {
    return [this, name](NodeContext& context, State& state, NodeDone done) {
      tokens_[name] = context.cancel();
      answers_[name] = [&state, name, done = std::move(done)](core::Result<Next> next) mutable {
        trace(state).log.push_back(name);
        done(std::move(next));
      };
    };
  }

  std::map<std::string, NodeDone> answers_;
  std::map<std::string, core::CancelToken> tokens_;
};

TEST_F(BranchesTest, Branches_AreMergedInDeclarationOrder) {
  run(fork(waits("x"), waits("y"), waits("z")));
  ASSERT_EQ(answers_.size(), 3U);
  answers_["z"](Next::edges());
  answers_["x"](Next::edges());
  scheduler_.run_ready();
  EXPECT_FALSE(result_);
  answers_["y"](Next::edges());
  scheduler_.run_ready();
  ASSERT_TRUE(result_);
  EXPECT_EQ(state().words(), "a x y z b");
  EXPECT_EQ(result_->steps, 5U);
  EXPECT_THAT(story(), ElementsAre("node_enter a run-a-0", "node_exit a Ok", "updates a",
                                   "checkpoint x+y+z 1", "node_enter x run-x-1",
                                   "node_enter y run-y-2", "node_enter z run-z-3", "node_exit z Ok",
                                   "node_exit x Ok", "node_exit y Ok", "updates x+y+z",
                                   "checkpoint b 4", "node_enter b run-b-4", "node_exit b Ok",
                                   "updates b", "checkpoint __end__ 5", "values"));
}

TEST_F(BranchesTest, EachBranch_HasOwnCopy) {
  run(fork(says("x"), says("y"), [](NodeContext&, State& state, NodeDone done) {
    EXPECT_EQ(trace(state).words(), "a");
    done(Next::edges());
  }));
  EXPECT_EQ(state().words(), "a x y b");
}

TEST_F(BranchesTest, Run_ResumesBeforeBranchesByName) {
  auto kept = std::make_unique<TraceState>();
  kept->log = {"a"};
  run(fork(says("x"), says("y"), says("z")), Entry{"x+y+z", 1, 1, "run-a-0", {}}, std::move(kept));
  EXPECT_EQ(state().words(), "a x y z b");
  EXPECT_EQ(result_->steps, 5U);
}

TEST_F(BranchesTest, FirstError_CancelsOthers_FailsRun) {
  run(fork(waits("x"), waits("y"), waits("z")));
  answers_["y"](core::fail(core::Code::unavailable, "y is gone"));
  EXPECT_TRUE(tokens_["x"].cancelled());
  EXPECT_TRUE(tokens_["z"].cancelled());
  answers_["x"](Next::edges());
  answers_["z"](core::fail(core::Code::unavailable, "also"));
  scheduler_.run_ready();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_EQ(result_->error->message, "y is gone");
  EXPECT_EQ(result_->node, "y");
  EXPECT_EQ(state().words(), "a");
  const std::vector<std::string> all = story();
  const std::string why = R"(cancelled: the parallel branch "y" failed)";
  EXPECT_THAT(std::vector<std::string>(all.end() - 3, all.end()),
              ElementsAre("node_exit y y is gone", "node_exit x " + why, "node_exit z " + why));
}

TEST_F(BranchesTest, UnstoppableBranches_AreLeftBehind) {
  run(fork(waits("x"), waits("y"), says("z")));
  answers_["y"](core::fail(core::Code::unavailable, "y is gone"));
  scheduler_.advance(kCancelPatience);
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_EQ(result_->error->message, "y is gone");
  answers_["x"](Next::edges());
}

TEST_F(BranchesTest, ImmediateFailure_KeepsNextFromBeginning) {
  run(fork([](NodeContext&, State&, NodeDone done) { done(core::fail(core::Code::internal, "x")); },
           says("y"), says("z")));
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_THAT(story(), Not(Contains(HasSubstr("node_enter y"))));
}

TEST_F(BranchesTest, CancelOfRun_ReachesAllBranches) {
  run(fork(waits("x"), waits("y"), waits("z")));
  source_.cancel("stop");
  answers_["x"](Next::edges());
  scheduler_.advance(kCancelPatience);
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::cancelled);
  EXPECT_EQ(state().words(), "a");
  answers_["y"](Next::edges());
  answers_["z"](Next::edges());
  scheduler_.run_ready();
  const std::vector<std::string> all = story();
  EXPECT_EQ(std::count(all.begin(), all.end(), "node_exit z cancelled: stop"), 1);
}

TEST_F(BranchesTest, Branches_CannotRouteOrInterrupt) {
  const auto answering = [](Next next) {
    return [next](NodeContext&, State&, NodeDone done) { done(next); };
  };
  run(fork(answering(Next::to("b")), says("y"), says("z")));
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_THAT(result_->error->message, HasSubstr("parallel branch"));
  run(fork(says("x"), says("y"), answering(Next::interrupt("1"))));
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_EQ(result_->error->code, core::Code::failed_precondition);
}

TEST_F(BranchesTest, Branches_CountTowardsStepLimit) {
  run(fork(says("x"), says("y"), says("z"), {3}));
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_EQ(result_->error->code, core::Code::resource_exhausted);
  EXPECT_EQ(result_->steps, 1U);
  EXPECT_EQ(result_->node, "x+y+z");
}

TEST_F(BranchesTest, MergeThatThrows_FailsRunInWords) {
  GraphBuilder builder;
  builder.node("x", says("x"));
  builder.parallel("__start__", {"x"}, "__end__",
                   [](State&, const std::vector<std::unique_ptr<State>>&) {
                     throw std::runtime_error("no way");
                   });
  run(compiled(builder));
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_THAT(result_->error->message, HasSubstr("no way"));
}

TEST_F(BranchesTest, GraphAsBranch_KeepsNoCheckpoints) {
  GraphBuilder builder;
  builder.node("x", says("x")).subgraph("in", compiled(row({"p", "q"})));
  builder.parallel("__start__", {"in", "x"}, "__end__", append);
  run(compiled(builder));
  EXPECT_EQ(state().words(), "p q x");
  EXPECT_THAT(story(), ElementsAre("node_enter in run-in-0", "node_enter p run-p-1",
                                   "node_exit p Ok", "node_enter q run-q-2", "node_exit q Ok",
                                   "node_exit in Ok", "node_enter x run-x-3", "node_exit x Ok",
                                   "updates in+x", "checkpoint __end__ 2", "values"));
}

}  // namespace
}  // namespace parley::graph
