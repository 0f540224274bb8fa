// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "runtime/graph/traversal.h"
#include "tests/support/graph/engine_fixture.h"

namespace parley::graph {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using End = ExecutionResult::End;
using Invoked = core::Result<std::unique_ptr<State>>;

class InvocationTest : public EngineTest {
 protected:
  static std::shared_ptr<const Graph> single(NodeFn run) {
    GraphBuilder builder;
    builder.node("outer", std::move(run)).edge("__start__", "outer").edge("outer", "__end__");
    return compiled(builder);
  }
  static std::shared_ptr<const Graph> of(NodeFn run) {
    GraphBuilder builder;
    builder.node("leaf", std::move(run)).edge("__start__", "leaf").edge("leaf", "__end__");
    return compiled(builder);
  }
  NodeFn keeps() {
    return [this](NodeContext& context, State&, NodeDone done) {
      tokens_.push_back(context.cancel());
      pending_.push_back(std::move(done));
    };
  }
  // A node that invokes a graph; appends the words of its last state, or fails with its error.
  static NodeFn invokes(std::shared_ptr<const Graph> graph) {
    return [graph](NodeContext& context, State& state, NodeDone done) {
      context.invoke(graph, std::make_unique<TraceState>(), {},
                     [&state, done = std::move(done)](Invoked inner) mutable {
                       if (!inner) return done(core::fail(inner.error()));
                       trace(state).log.push_back(trace(**inner).words());
                       done(Next::edges());
                     });
    };
  }

  std::vector<NodeDone> pending_;
  std::vector<core::CancelToken> tokens_;
};

TEST_F(InvocationTest, Entries_BelongToRun_StateIsReturned) {
  run(single(invokes(compiled(row({"p", "q"})))));
  EXPECT_EQ(result_->end, End::finished);
  EXPECT_EQ(state().words(), "p q");
  EXPECT_THAT(story(),
              ElementsAre("node_enter outer run-outer-0", "node_enter p run-p-1", "node_exit p Ok",
                          "node_enter q run-q-2", "node_exit q Ok", "node_exit outer Ok",
                          "updates outer", "checkpoint __end__ 1", "values"));
  EXPECT_EQ(result_->steps, 1U);
}

TEST_F(InvocationTest, SeveralInvocations_GoOnAtOnce) {
  std::vector<std::string> ended;
  const auto inner = of(keeps());
  run(single([&](NodeContext& context, State&, NodeDone done) {
    auto left = std::make_shared<int>(3);
    auto answer = std::make_shared<NodeDone>(std::move(done));
    for (const std::string name : {"one", "two", "three"}) {
      context.invoke(inner, std::make_unique<TraceState>(), {},
                     [&ended, name, left, answer](const Invoked& result) {
                       ended.push_back(result ? name : "failed");
                       if (--*left == 0) (*answer)(Next::edges());
                     });
    }
  }));
  ASSERT_EQ(pending_.size(), 3U);
  EXPECT_THAT(node_ids(), ElementsAre("run-outer-0", "run-leaf-1", "run-leaf-2", "run-leaf-3"));
  for (const std::size_t which : {2U, 0U, 1U}) pending_[which](Next::edges());
  scheduler_.run_ready();
  EXPECT_THAT(ended, ElementsAre("three", "one", "two"));
  EXPECT_EQ(result_->end, End::finished);
}

TEST_F(InvocationTest, InnerError_IsToldToNode) {
  run(single(invokes(of([](NodeContext&, State&, NodeDone done) {
    done(core::fail(core::Code::unavailable, "inner"));
  }))));
  EXPECT_EQ(result_->end, End::failed);
  EXPECT_EQ(result_->node, "outer");
  EXPECT_EQ(result_->error->message, "inner");
}

TEST_F(InvocationTest, InnerInterrupt_IsError) {
  run(single(invokes(of([](NodeContext&, State&, NodeDone done) { done(Next::interrupt("1")); }))));
  EXPECT_EQ(result_->error->code, core::Code::failed_precondition);
}

TEST_F(InvocationTest, StepLimit_IsOwn) {
  GraphBuilder endless;
  endless.node("a", says("a")).edge("__start__", "a");
  endless.conditional("a", [](const State&) { return "a"; });
  run(single(invokes(compiled(endless, {4}))));
  EXPECT_EQ(result_->error->code, core::Code::resource_exhausted);
}

TEST_F(InvocationTest, Invocation_CanBeCancelledAlone) {
  core::CancelSource one;
  core::Code told = core::Code::unknown;
  const auto inner = of(keeps());
  run(single([&](NodeContext& context, State&, NodeDone done) {
    context.invoke(inner, std::make_unique<TraceState>(), one.token(),
                   [&told, done = std::move(done)](const Invoked& result) mutable {
                     told = result.error().code;
                     done(Next::edges());
                   });
  }));
  one.cancel("not this one");
  scheduler_.advance(kCancelPatience);
  ASSERT_TRUE(result_);
  EXPECT_EQ(told, core::Code::cancelled);
  EXPECT_EQ(result_->end, End::finished);
  EXPECT_THAT(story(), Contains("node_exit leaf cancelled: not this one"));
}

TEST_F(InvocationTest, Invocations_EndWithRun_InnermostFirst) {
  run(single(invokes(of(keeps()))));
  source_.cancel("stop");
  EXPECT_TRUE(tokens_.at(0).cancelled());
  scheduler_.advance(kCancelPatience);
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::cancelled);
  EXPECT_THAT(story(),
              ElementsAre("node_enter outer run-outer-0", "node_enter leaf run-leaf-1",
                          "node_exit leaf cancelled: stop", "node_exit outer cancelled: stop"));
}

TEST_F(InvocationTest, EndOfNode_EndsInvocationSilently) {
  bool told = false;
  const auto inner = of(keeps());
  run(single([&](NodeContext& context, State&, NodeDone done) {
    context.invoke(inner, std::make_unique<TraceState>(), {}, [&](const Invoked&) { told = true; });
    context.scheduler().post([&context, done = std::move(done)]() mutable {
      context.scheduler().post([done = std::move(done)]() mutable { done(Next::edges()); });
    });
  }));
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->end, End::finished);
  EXPECT_FALSE(told);
  EXPECT_TRUE(tokens_.at(0).cancelled());
  EXPECT_THAT(story(),
              ElementsAre("node_enter outer run-outer-0", "node_enter leaf run-leaf-1",
                          "node_exit leaf cancelled: the node that began it has ended",
                          "node_exit outer Ok", "updates outer", "checkpoint __end__ 1", "values"));
}

TEST_F(InvocationTest, InnerCheckpoint_IsIgnored) {
  run(single(invokes(of([](NodeContext& context, State&, NodeDone done) {
    context.checkpoint();
    done(Next::edges());
  }))));
  EXPECT_EQ(sink_.all<runtime::Checkpoint>().size(), 1U);
}

TEST_F(InvocationTest, RecursiveGraphs_EndAtDepthLimit) {
  std::shared_ptr<const Graph> self;
  int entries = 0;
  const auto graph = of([&](NodeContext& context, State& state, NodeDone done) {
    ++entries;
    invokes(self)(context, state, std::move(done));
  });
  self = graph;
  run(graph);
  self.reset();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->error->code, core::Code::resource_exhausted);
  EXPECT_EQ(entries, Traversal::kMaxDepth + 1);
}

}  // namespace
}  // namespace parley::graph
