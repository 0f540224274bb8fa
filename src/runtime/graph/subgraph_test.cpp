// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "runtime/graph/traversal.h"
#include "tests/support/graph/engine_fixture.h"

namespace parley::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using End = ExecutionResult::End;

class SubgraphTest : public EngineTest {
 protected:
  // a -> inner(x -> y) -> b
  static std::shared_ptr<const Graph> nested(NodeFn x, NodeFn y, GraphOptions limits = {}) {
    GraphBuilder inner;
    inner.node("x", std::move(x)).node("y", std::move(y));
    inner.edge("__start__", "x").edge("x", "y").edge("y", "__end__");
    GraphBuilder outer;
    outer.node("a", says("a")).subgraph("inner", compiled(inner, limits)).node("b", says("b"));
    outer.edge("__start__", "a").edge("a", "inner").edge("inner", "b").edge("b", "__end__");
    return compiled(outer);
  }
  static NodeFn fails() {
    return [](NodeContext&, State&, NodeDone done) {
      done(core::fail(core::Code::unavailable, "gone"));
    };
  }
};

TEST_F(SubgraphTest, InnerNodes_AreNumberedWithRun_KeptByPath) {
  run(nested(says("x"), says("y")));
  EXPECT_EQ(state().words(), "a x y b");
  EXPECT_EQ(result_->steps, 3U);
  EXPECT_THAT(
      story(),
      ElementsAre("node_enter a run-a-0", "node_exit a Ok", "updates a", "checkpoint inner 1",
                  "node_enter inner run-inner-1", "node_enter x run-x-2", "node_exit x Ok",
                  "updates x", "checkpoint inner/y 2", "node_enter y run-y-3", "node_exit y Ok",
                  "updates y", "checkpoint inner/__end__ 2", "node_exit inner Ok", "updates inner",
                  "checkpoint b 2", "node_enter b run-b-4", "node_exit b Ok", "updates b",
                  "checkpoint __end__ 3", "values"));
  EXPECT_EQ(sink_.all<runtime::Checkpoint>().at(1).checkpoint_ns, "inner");
  EXPECT_FALSE(sink_.all<runtime::Checkpoint>().at(3).checkpoint_ns);
}

TEST_F(SubgraphTest, Run_ResumesInside) {
  auto kept = std::make_unique<TraceState>();
  kept->log = {"a", "x"};
  run(nested(says("x"), says("y")), Entry{"inner/y", 2, 3, "run-x-2", {}}, std::move(kept));
  EXPECT_EQ(state().words(), "a x y b");
  EXPECT_EQ(result_->steps, 3U);
  EXPECT_THAT(node_ids(), ElementsAre("run-inner-3", "run-y-4", "run-b-5"));
}

TEST_F(SubgraphTest, Run_ResumesAtEndOfSubgraph) {
  auto kept = std::make_unique<TraceState>();
  kept->log = {"a", "x", "y"};
  run(nested(says("x"), says("y")), Entry{"inner/__end__", 2, 4, "run-y-3", {}}, std::move(kept));
  EXPECT_EQ(state().words(), "a x y b");
}

TEST_F(SubgraphTest, Failure_EndsBothNodes_InnerFirst) {
  run(nested(says("x"), fails()));
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_EQ(result_->node, "inner/y");
  const std::vector<std::string> all = story();
  EXPECT_EQ(all.at(all.size() - 2), "node_exit y gone");
  EXPECT_EQ(all.back(), "node_exit inner gone");
}

TEST_F(SubgraphTest, InnerInterrupt_IsAnsweredInside) {
  const auto graph = nested(says("x"), [](NodeContext& context, State& state, NodeDone done) {
    if (!context.resume_value()) return done(Next::interrupt("1"));
    trace(state).log.push_back(*context.resume_value());
    done(Next::edges());
  });
  run(graph);
  EXPECT_EQ(result_->end, End::interrupted);
  EXPECT_EQ(result_->node, "inner/y");
  const std::vector<std::string> all = story();
  EXPECT_THAT(std::vector<std::string>(all.end() - 3, all.end()),
              ElementsAre("node_exit y interrupted: 1", "node_exit inner interrupted: 1",
                          "checkpoint inner/y 2"));
  const std::size_t last = sink_.all<runtime::Checkpoint>().size() - 1;
  run(graph, Entry{result_->node, 2, 4, "run-y-3", "yes"}, folded(last));
  EXPECT_EQ(result_->end, End::finished);
  EXPECT_EQ(state().words(), "a x yes b");
}

TEST_F(SubgraphTest, Cancel_ReachesInnerNode) {
  std::vector<NodeDone> pending;
  run(nested(says("x"),
             [&](NodeContext&, State&, NodeDone done) { pending.push_back(std::move(done)); }));
  source_.cancel("stop");
  scheduler_.advance(kCancelPatience);
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::cancelled);
  const std::vector<std::string> all = story();
  EXPECT_EQ(all.at(all.size() - 2), "node_exit y cancelled: stop");
  EXPECT_EQ(all.back(), "node_exit inner cancelled: stop");
}

TEST_F(SubgraphTest, StepLimit_IsOwn) {
  run(nested(says("x"), says("y"), {1}));
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_EQ(result_->error->code, core::Code::resource_exhausted);
  EXPECT_EQ(result_->node, "inner/y");
  EXPECT_THAT(story().back(), HasSubstr("node_exit inner After 1 steps"));
}

TEST_F(SubgraphTest, NestedGraphs_HaveDepthLimit) {
  auto graph = compiled(row({"leaf"}));
  for (int depth = 0; depth < Traversal::kMaxDepth + 1; ++depth) {
    GraphBuilder outer;
    outer.subgraph("n", graph).edge("__start__", "n").edge("n", "__end__");
    graph = compiled(outer);
  }
  run(graph);
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_EQ(result_->error->code, core::Code::resource_exhausted);
}

}  // namespace
}  // namespace parley::graph
