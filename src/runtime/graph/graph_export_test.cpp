// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/support/graph/engine_fixture.h"

namespace parley::graph {
namespace {

using testing::HasSubstr;
using testing::Not;

class GraphExportTest : public EngineTest {
 protected:
  static std::shared_ptr<const Graph> mixed() {
    GraphBuilder builder;
    builder.node("plan", says("plan")).node("a", says("a")).node("b", says("b"));
    builder.subgraph("review", compiled(row({"read", "judge"})));
    builder.edge("__start__", "plan");
    builder.parallel("plan", {"a", "b"}, "review",
                     [](State&, const std::vector<std::unique_ptr<State>>&) {});
    builder.conditional("review", [](const State&) { return "good"; },
                        {{"good", "__end__"}, {"poor", "plan"}});
    return compiled(builder);
  }
};

TEST_F(GraphExportTest, Dot_DrawsNodesEdgesBranchesAndSubgraphs) {
  EXPECT_EQ(to_dot(*mixed(), {"plan", "review/read"}), R"(digraph g {
  node [shape=box, style=rounded];
  g_start [shape=circle, width=0.3, label="start"];
  g_0 [label="plan", style="rounded,filled", fillcolor="#cfe8d5"];
  g_1 [label="a"];
  g_2 [label="b"];
  subgraph cluster_g_3 {
    label="review";
    g_3_start [shape=circle, width=0.3, label="start"];
    g_3_0 [label="read", style="rounded,filled", fillcolor="#cfe8d5"];
    g_3_1 [label="judge"];
    g_3_end [shape=circle, width=0.3, label="end"];
    g_3_start -> g_3_0;
    g_3_0 -> g_3_1;
    g_3_1 -> g_3_end;
  }
  g_end [shape=circle, width=0.3, label="end"];
  g_start -> g_0;
  g_0 -> g_1 [style=bold];
  g_1 -> g_3_start [style=bold];
  g_0 -> g_2 [style=bold];
  g_2 -> g_3_start [style=bold];
  g_3_end -> g_end [style=dashed, label="good"];
  g_3_end -> g_0 [style=dashed, label="poor"];
}
)");
}

TEST_F(GraphExportTest, Mermaid_DrawsSame) {
  EXPECT_EQ(to_mermaid(*mixed(), {"plan", "review/read"}), R"(flowchart TD
  g_start((start))
  g_0["plan"]
  g_1["a"]
  g_2["b"]
  subgraph g_3 ["review"]
    g_3_start((start))
    g_3_0["read"]
    g_3_1["judge"]
    g_3_end((end))
    g_3_start --> g_3_0
    g_3_0 --> g_3_1
    g_3_1 --> g_3_end
  end
  g_end((end))
  g_start --> g_0
  g_0 ==> g_1
  g_1 ==> g_3_start
  g_0 ==> g_2
  g_2 ==> g_3_start
  g_3_end -. "good" .-> g_end
  g_3_end -. "poor" .-> g_0
  classDef visited fill:#cfe8d5,stroke:#2e7d4f
  class g_0,g_3_0 visited
)");
}

TEST_F(GraphExportTest, AnyName_KeepsTextValid) {
  const std::string name = "say \"hi\"\\\n<b>#1; & `x`";
  GraphBuilder builder;
  builder.node(name, says("x")).edge("__start__", name);
  builder.conditional(name, [](const State&) { return ""; }, {{name, "__end__"}});
  const auto graph = compiled(builder);
  EXPECT_THAT(to_dot(*graph), HasSubstr(R"(g_0 [label="say \"hi\"\\\n<b>#1; & `x`"];)"));
  EXPECT_THAT(to_mermaid(*graph),
              HasSubstr(R"(g_0["say #34;hi#34;\ #60;b#62;#35;1; #38; #96;x#96;"])"));
  EXPECT_THAT(to_mermaid(*graph), Not(HasSubstr("class ")));
}

TEST_F(GraphExportTest, RouterWithoutMap_MayLeadAnywhere) {
  GraphBuilder builder;
  builder.node("a", says("a")).node("b", says("b"));
  builder.conditional("__start__", [](const State&) { return "a"; });
  builder.edge("a", "b").edge("b", "__end__");
  const std::string text = to_mermaid(*compiled(builder));
  EXPECT_THAT(text, HasSubstr("g_start -.-> g_0\n  g_start -.-> g_1\n  g_start -.-> g_end\n"));
}

}  // namespace
}  // namespace parley::graph
