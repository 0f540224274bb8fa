// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph/graph.h"

#include <gmock/gmock.h>

#include "runtime/graph/state_graph.h"
#include "tests/support/graph/engine_fixture.h"

namespace parley::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class GraphTest : public EngineTest {
 protected:
  static std::string fault(GraphBuilder builder, GraphOptions options = {}) {
    const core::Result<std::shared_ptr<const Graph>> graph = builder.compile(options);
    if (graph) return "none";
    EXPECT_EQ(graph.error().code, core::Code::invalid_argument);
    return graph.error().message;
  }
  static std::string never(const State&) { return "__end__"; }
  static void nothing(State&, const std::vector<std::unique_ptr<State>>&) {}
};

TEST_F(GraphTest, RowOfNodes_HasNoFault) { EXPECT_EQ(fault(row({"a", "b"})), "none"); }

TEST_F(GraphTest, ConditionalLoop_HasNoFault) {
  GraphBuilder builder;
  builder.node("a", says("a")).node("b", says("b")).edge("__start__", "a").edge("b", "a");
  builder.conditional("a", never, {{"b", "b"}, {"end", "__end__"}});
  EXPECT_EQ(fault(builder), "none");
}

TEST_F(GraphTest, EdgeToUnknownNode_IsNamed) {
  EXPECT_THAT(fault(row({"a"}).edge("a", "typo")),
              HasSubstr(R"(an edge leads from "a" to the unknown node "typo")"));
}

TEST_F(GraphTest, EdgeFromUnknownNode_IsNamed) {
  EXPECT_EQ(fault(row({"a"}).edge("typo", "a")),
            R"(The graph cannot be run: an edge leaves the unknown node "typo".)");
}

TEST_F(GraphTest, Edges_LeaveNoEnd_LeadToNoStart) {
  EXPECT_THAT(fault(row({"a"}).edge("__end__", "a").edge("a", "__start__")),
              AllOf(HasSubstr("an edge leaves the end"),
                    HasSubstr(R"(an edge leads from "a" to the start)")));
}

TEST_F(GraphTest, Graph_NeedsSingleEdgeFromStart) {
  GraphBuilder builder;
  builder.node("a", says("a")).edge("a", "__end__");
  EXPECT_THAT(fault(builder), HasSubstr("no edge leaves the start"));
  EXPECT_THAT(fault(row({"a"}).edge("__start__", "a")), HasSubstr("two edges leave the start"));
}

TEST_F(GraphTest, TwoEdgesOrKindsFromNode_AreNamed) {
  EXPECT_THAT(fault(row({"a", "b"}).edge("a", "__end__")), HasSubstr(R"(two edges leave "a")"));
  EXPECT_THAT(fault(row({"a", "b"}).conditional("a", never, {{"x", "b"}})),
              HasSubstr(R"(edges of two kinds leave "a")"));
}

TEST_F(GraphTest, DuplicateNode_IsNamed) {
  EXPECT_THAT(fault(row({"a"}).node("a", says("a"))), HasSubstr(R"(node "a" is declared twice)"));
}

TEST_F(GraphTest, NodeThatCannotReachEnd_IsNamed) {
  GraphBuilder builder;
  builder.node("a", says("a")).node("b", says("b")).edge("__start__", "a").edge("a", "b");
  EXPECT_EQ(fault(builder),
            R"(The graph cannot be run: no way leads from the start to the end; )"
            R"(no way leads from "a" to the end; no way leads from "b" to the end.)");
}

TEST_F(GraphTest, UnconditionalCycle_IsNamedOnce) {
  GraphBuilder builder;
  builder.node("a", says("a")).node("b", says("b")).node("c", says("c"));
  builder.edge("__start__", "c").edge("c", "a").edge("a", "b").edge("b", "a");
  const std::string told = fault(builder);
  EXPECT_THAT(told, HasSubstr(R"(the cycle "a" -> "b" -> "a" has no condition)"));
  EXPECT_THAT(told, Not(HasSubstr("no way leads from \"a\"")));
  EXPECT_EQ(told.find("has no condition"), told.rfind("has no condition"));
}

TEST_F(GraphTest, UnreachableNode_IsNamed) {
  EXPECT_EQ(fault(row({"a"}).node("lost", says("x")).edge("lost", "__end__")),
            R"(The graph cannot be run: node "lost" is never reached.)");
}

TEST_F(GraphTest, AmbiguousNames_AreFaults) {
  EXPECT_THAT(fault(row({""})), HasSubstr("a node has no name"));
  EXPECT_THAT(fault(row({"a"}).node("__end__", says("x"))), HasSubstr("reserved name"));
  GraphBuilder within = row({"outer/a"});
  within.subgraph("outer", compiled(row({"a"})));
  EXPECT_THAT(fault(within), HasSubstr(R"("outer/a" has a name as if it were within "outer")"));
  GraphBuilder parallel = row({"x", "a+b"});
  parallel.node("y", says("y")).node("a", says("a")).node("b", says("b"));
  parallel.parallel("y", {"a", "b"}, "x", nothing);
  EXPECT_THAT(fault(parallel), HasSubstr(R"(have together the name "a+b", which is taken)"));
}

TEST_F(GraphTest, NodesWithoutFunctionAndBadLimits_AreFaults) {
  EXPECT_THAT(fault(row({"a"}).node("b", nullptr)), HasSubstr(R"("b" has nothing to run)"));
  EXPECT_THAT(fault(row({"a"}).subgraph("b", nullptr)), HasSubstr(R"("b" has nothing to run)"));
  EXPECT_THAT(fault(row({"a"}).conditional("a", nullptr)),
              HasSubstr(R"(nothing decides the way on from "a")"));
  EXPECT_THAT(fault(row({"a"}), {0}), HasSubstr("the step limit is 0"));
  NodeOptions options;
  options.retry.factor = 0.5;
  EXPECT_THAT(fault(row({"a"}).node("b", says("b"), options)),
              HasSubstr(R"(the retries of "b" make no sense)"));
}

TEST_F(GraphTest, FaultsOfParallelParts_AreNamed) {
  GraphBuilder builder;
  builder.node("from", says("f")).node("a", says("a")).node("join", says("j"));
  builder.edge("__start__", "from").edge("join", "__end__").edge("a", "join");
  builder.parallel("from", {"a", "a", "typo", "__end__"}, "join", nullptr);
  EXPECT_THAT(fault(builder),
              AllOf(HasSubstr(R"(node "a" is a parallel branch twice)"),
                    HasSubstr(R"(is the unknown node "typo")"), HasSubstr("is the end"),
                    HasSubstr(R"(nothing merges the parallel branches after "from")"),
                    HasSubstr(R"(an edge leaves "a", which is a parallel branch)")));
  GraphBuilder none;
  none.node("from", says("f")).edge("__start__", "from").parallel("from", {}, "__end__", nothing);
  EXPECT_THAT(fault(none), HasSubstr(R"(the parallel branches after "from" are none)"));
}

TEST_F(GraphTest, EveryFault_IsToldAtOnce) {
  GraphBuilder builder;
  builder.node("a", says("a")).node("a", says("a")).edge("a", "b");
  EXPECT_THAT(fault(builder),
              AllOf(HasSubstr("declared twice"), HasSubstr("unknown node \"b\""),
                    HasSubstr("no edge leaves the start"), HasSubstr("\"a\" is never reached")));
}

TEST_F(GraphTest, TypedGraph_WorksOnOwnState) {
  StateGraph<TraceState> typed;
  typed.node("a", [](NodeContext&, TraceState& state, NodeDone done) {
    state.number = 41;
    done(Next::edges());
  });
  typed.node("b", [](NodeContext&, TraceState& state, NodeDone done) {
    ++state.number;
    done(Next::edges());
  });
  typed.edge("__start__", "a").edge("b", "__end__");
  typed.parallel("a", {"b2"}, "b",
                 [](TraceState& into, const std::vector<std::unique_ptr<TraceState>>& branches) {
                   into.log = branches.at(0)->log;
                 });
  typed.node("b2", [](NodeContext&, TraceState& state, NodeDone done) {
    state.log.emplace_back("branch");
    done(Next::edges());
  });
  run(*typed.compile());
  EXPECT_EQ(state().number, 42);
  EXPECT_EQ(state().words(), "branch");
}

}  // namespace
}  // namespace parley::graph
