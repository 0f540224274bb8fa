// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/task_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

std::string fault_of(const std::string& plan, std::size_t most = 64) {
  const auto read = read_plan(plan, most);
  return read ? "" : read.error().message;
}

TEST(TaskGraph, Plan_IsReadFromProseAndFences) {
  const auto plan = read_plan(
      "Here it is:\n```json\n{\"nodes\":[{\"id\":\"a\",\"description\":\"A\"},"
      "{\"id\":\"b\",\"description\":\"B\"}],\"edges\":[[\"a\",\"b\"],[\"a\",\"b\"]]}\n```",
      8);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->nodes, SizeIs(2));
  EXPECT_THAT(plan->edges, ElementsAre(std::pair("a", "b")));
  EXPECT_THAT(plan->sinks(), ElementsAre("b"));
}

TEST(TaskGraph, SloppyPlanForms_AreUnderstood) {
  const auto plan = read_plan(
      R"({"tasks":["First",{"id":2,"task":"Second","depends_on":["task_1"]}],"edges":[{"from":"task_1","to":"2"}]})",
      8);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->nodes[0].id, "task_1");
  EXPECT_EQ(plan->nodes[1].id, "2");
  EXPECT_THAT(plan->edges, ElementsAre(std::pair("task_1", "2")));
}

TEST(TaskGraph, FaultInPlan_IsNamed) {
  EXPECT_THAT(fault_of("I will do it."), HasSubstr("not JSON"));
  EXPECT_THAT(fault_of(R"({"steps":[]})"), HasSubstr("no list of nodes"));
  EXPECT_THAT(fault_of(R"({"nodes":[]})"), HasSubstr("no tasks"));
  EXPECT_THAT(fault_of(R"({"nodes":[{"id":"a"},{"id":"a"}]})"), HasSubstr("the id 'a'"));
  EXPECT_THAT(fault_of(R"({"nodes":[{"id":"a"}],"edges":[["a","z"]]})"),
              HasSubstr("unknown task 'z'"));
  EXPECT_THAT(fault_of(R"({"nodes":[{"id":"a"}],"edges":[["a","a"]]})"), HasSubstr("needs itself"));
  EXPECT_THAT(fault_of(R"({"nodes":[{"id":"a"},{"id":"b"},{"id":"c"}]})", 2),
              HasSubstr("at most 2"));
  EXPECT_THAT(
      fault_of(
          R"({"nodes":[{"id":"x"},{"id":"a"},{"id":"b"},{"id":"c"}],"edges":[["x","a"],["a","b"],["b","c"],["c","a"]]})"),
      HasSubstr("It has a cycle: a -> b -> c -> a."));
}

TEST(TaskGraph, Expansion_PrecedesDependants) {
  TaskGraph graph{{{"a", "A", 0}, {"b", "B", 0}, {"c", "C", 0}}, {{"a", "b"}, {"a", "c"}}};
  const TaskGraph part{{{"1", "One", 0}, {"2", "Two", 0}}, {{"1", "2"}}};
  const auto added = graph.expand("a", part);
  EXPECT_THAT(added.ids, ElementsAre("a_sub_1", "a_sub_2"));
  EXPECT_EQ(added.edges, 4U);
  EXPECT_THAT(graph.predecessors("a_sub_1"), ElementsAre("a"));
  EXPECT_THAT(graph.predecessors("b"), UnorderedElementsAre("a", "a_sub_2"));
  EXPECT_THAT(graph.predecessors("c"), UnorderedElementsAre("a", "a_sub_2"));
  EXPECT_EQ(graph.find("a_sub_1")->level, 1U);
  EXPECT_TRUE(graph.check(64));
}

TEST(TaskGraph, ExpansionOfSink_MakesPartsSinks) {
  TaskGraph graph{{{"a", "A", 0}}, {}};
  graph.expand("a", TaskGraph{{{"1", "One", 0}, {"2", "Two", 0}}, {}});
  EXPECT_THAT(graph.sinks(), ElementsAre("a_sub_1", "a_sub_2"));
}

TEST(TaskGraph, GraphWithoutEdges_IsAllSourcesAndSinks) {
  const TaskGraph graph{{{"a", "A", 0}, {"b", "B", 0}}, {}};
  EXPECT_EQ(graph.sources(), graph.sinks());
  EXPECT_THAT(graph.predecessors("a"), IsEmpty());
}

}  // namespace
}  // namespace parley::agent
