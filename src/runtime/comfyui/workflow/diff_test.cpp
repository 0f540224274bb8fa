// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/comfyui/workflow/convert.h"
#include "tests/support/workflow/workflow_fixture.h"

namespace parley::comfyui {
namespace {

using testing::HasSubstr;

TEST(WorkflowDiff, ViewAndPlace_AreNotCompared) {
  const Workflow before = sample("text_to_image.ui.json");
  std::string text = before.text();
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"\"scale\":1.5", "\"scale\":2"},
        {"\"pos\":[300,50]", "\"pos\":[1,2]"},
        {"\"size\":[300,120]", "\"size\":[9,9]"},
        {"20,8,", "20.0,8.0,"}}) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  }
  const auto after = Workflow::parse(text);
  ASSERT_TRUE(after.has_value());
  EXPECT_FALSE(*after == before);
  const WorkflowDiff found = diff(before, *after, sample_schemas());
  EXPECT_TRUE(found.empty()) << found.lines();
  EXPECT_EQ(found.lines(), "No changes.\n");
}

TEST(WorkflowDiff, EveryKindOfChange_IsInLinesAndJson) {
  const Workflow before = sample("text_to_image.ui.json");
  Workflow after = before;
  const NodeSchemas& schemas = sample_schemas();
  ASSERT_TRUE(after.set_input("3", "steps", "30", schemas));
  ASSERT_TRUE(after.set_title("6", "Sea"));
  ASSERT_TRUE(after.set_mode("7", "bypass"));
  ASSERT_TRUE(after.remove_node("9"));
  ASSERT_TRUE(after.add_node("PreviewImage", "", "", schemas));
  ASSERT_TRUE(after.connect("8", "IMAGE", "10", "images", schemas));
  const WorkflowDiff found = diff(before, after, schemas);
  EXPECT_EQ(found.lines(),
            "+ node 10 (PreviewImage)\n"
            "- node 9 (SaveImage)\n"
            "~ 3 (KSampler) input steps: 20 -> 30\n"
            "~ 6 (CLIPTextEncode) title: \"Positive\" -> \"Sea\"\n"
            "~ 7 (CLIPTextEncode) mode: \"always\" -> \"bypass\"\n"
            "+ link 8.IMAGE -> 10.images\n"
            "- link 8.IMAGE -> 9.images\n");
  EXPECT_EQ(
      found.json(),
      R"({"added":[{"id":"10","class":"PreviewImage"}],"removed":[{"id":"9","class":"SaveImage"}],)"
      R"("changed":[{"id":"3","class":"KSampler","what":"input steps","before":20,"after":30},)"
      R"({"id":"6","class":"CLIPTextEncode","what":"title","before":"Positive","after":"Sea"},)"
      R"({"id":"7","class":"CLIPTextEncode","what":"mode","before":"always","after":"bypass"}],)"
      R"("links_added":[{"from":"8","output":"IMAGE","to":"10","input":"images"}],)"
      R"("links_removed":[{"from":"8","output":"IMAGE","to":"9","input":"images"}],"more":0})");
}

TEST(WorkflowDiff, BothFormsOfSameWorkflow_AreEqual) {
  const Workflow ui = sample("text_to_image.ui.json");
  const WorkflowDiff found = diff(ui, *to_api(ui, sample_schemas()), sample_schemas());
  EXPECT_TRUE(found.empty()) << found.lines();
}

TEST(WorkflowDiff, NodesInsideSubgraph_AreComparedOnce) {
  const Workflow before = sample("subgraph.ui.json");
  Workflow after = before;
  ASSERT_TRUE(after.set_input("13:2:1", "text", "\"new\"", sample_schemas()));
  EXPECT_EQ(diff(before, after, sample_schemas()).lines(),
            "~ 12:1:1 (CLIPTextEncode) input text: \"inner text\" -> \"new\"\n");
}

TEST(WorkflowDiff, InputsOfSameName_AreTold) {
  const std::string text =
      R"({"nodes":[{"id":1,"type":"A","outputs":[{"name":"o"}]},{"id":2,"type":"B","inputs":)"
      R"([{"link":1},{"link":2}]}],"links":[[1,1,0,2,0,"X"],[2,1,0,2,1,"X"]]})";
  const auto both = Workflow::parse(text);
  ASSERT_TRUE(both.has_value()) << refusal(both);
  EXPECT_EQ(diff(*both, *both, {}).lines(), "No changes.\n");
  Workflow one = *both;
  ASSERT_TRUE(one.disconnect("2", "1"));
  EXPECT_EQ(diff(*both, one, {}).lines(), "- link 1.o -> 2.\n");
}

TEST(WorkflowDiff, TextAndEntries_AreBounded) {
  std::string text = "{";
  for (int i = 0; i < 3'000; ++i) {
    text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(":{"class_type":"A","inputs":{}})";
  }
  const auto many = Workflow::parse(text + "}");
  const auto none = Workflow::parse("{}");
  const WorkflowDiff found = diff(*none, *many, {});
  EXPECT_EQ(found.added.size(), kMaxDiffEntries);
  EXPECT_EQ(found.more, 1'000U);
  EXPECT_LE(found.lines(500).size(), 560U);
  EXPECT_THAT(found.lines(500), HasSubstr("more changes are not shown."));
  EXPECT_LE(found.json(500).size(), 700U);
  EXPECT_THAT(found.json(500), HasSubstr("\"more\":29"));

  Workflow before = sample("text_to_image.ui.json");
  Workflow after = before;
  const std::string value = "\"" + std::string(9'000, 'x') + "\"";
  ASSERT_TRUE(after.set_input("6", "text", value, sample_schemas()));
  EXPECT_LT(diff(before, after, sample_schemas()).lines().size(), 400U);
  EXPECT_THAT(diff(before, after, sample_schemas()).json(), HasSubstr("\"after_cut\":\"\\\"xxx"));
}

}  // namespace
}  // namespace parley::comfyui
