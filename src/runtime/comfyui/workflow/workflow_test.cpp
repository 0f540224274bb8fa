// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/workflow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/workflow/workflow_fixture.h"

namespace parley::comfyui {
namespace {

using testing::HasSubstr;
using testing::Not;

struct BadInput {
  std::string text;
  core::Code code;
  std::string says;
};

std::string many(const std::string& one, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ",") + one;
  return out;
}

TEST(WorkflowParse, BadInput_IsRefusedWithPosition) {
  const auto bad = core::Code::invalid_argument;
  const auto full = core::Code::resource_exhausted;
  const std::vector<BadInput> table = {
      {"", bad, "is empty"},
      {" \n", bad, "is empty"},
      {"hello", bad, "is not JSON"},
      {"{\"nodes\":[", bad, "is not JSON"},
      {"{}{}", bad, "is not JSON"},
      {"{\"a\":\"\xff\"}", bad, "is not JSON"},
      {"{\"a\":1e999}", bad, "is not JSON"},
      {"[]", bad, "not a JSON object"},
      {"{\"a\":1}", bad, "This is not a workflow"},
      {"{\"1\":{\"class_type\":\"A\",\"inputs\":3}}", bad,
       "Node \"1\": \"inputs\" is not an object"},
      {"{\"nodes\":3}", bad, "nodes is not a list"},
      {"{\"nodes\":[1]}", bad, "nodes[0] is not an object"},
      {"{\"nodes\":[{\"type\":\"A\"}]}", bad, "nodes[0].id is missing"},
      {"{\"nodes\":[{\"id\":1.5,\"type\":\"A\"}]}", bad, "nodes[0].id is missing"},
      {"{\"nodes\":[{\"id\":1}]}", bad, "nodes[0].type is missing"},
      {"{\"nodes\":[{\"id\":1,\"type\":\"A\",\"inputs\":[2]}]}", bad,
       "nodes[0].inputs is not a list"},
      {"{\"nodes\":[{\"id\":1,\"type\":\"A\"},{\"id\":\"1\",\"type\":\"A\"}]}", bad,
       "Two nodes have the id \"1\" (nodes[1])"},
      {"{\"nodes\":[],\"links\":{}}", bad, "links is not a list"},
      {"{\"nodes\":[],\"links\":[[1,2]]}", bad, "links[0] is not a link"},
      {"{\"nodes\":[],\"links\":[[1,2,0,3,0,\"A\"],[1,2,0,3,0,\"A\"]]}", bad,
       "Two links have the id \"1\""},
      {"{\"nodes\":[],\"definitions\":{\"subgraphs\":[{}]}}", bad,
       "definitions.subgraphs[0].id is missing"},
      {"{\"nodes\":[],\"definitions\":{\"subgraphs\":[{\"id\":\"a\",\"nodes\":[{}]}]}}", bad,
       "definitions.subgraphs[0].nodes[0].id is missing"},
      {std::string(kMaxWorkflowBytes + 1, ' '), full, "bytes; at most 8388608"},
      {std::string(100'000, '['), full, "nested deeper than 64 levels"},
      {"{\"nodes\":[" + many("{}", 1'000'000) + "]}", full, "more than 1000000 JSON values"},
      {"{\"nodes\":[" + many("{}", kMaxNodes + 1) + "]}", full, "more than 10000 nodes"},
      {"{\"nodes\":[],\"links\":[" + many("1", kMaxLinks + 1) + "]}", full,
       "more than 50000 links"},
  };
  for (const BadInput& row : table) {
    const auto result = Workflow::parse(row.text);
    ASSERT_FALSE(result.has_value()) << row.text.substr(0, 80);
    EXPECT_EQ(result.error().code, row.code) << row.text.substr(0, 80);
    EXPECT_THAT(result.error().message, HasSubstr(row.says));
    EXPECT_EQ(result.error().field, "workflow");
  }
}

TEST(WorkflowParse, WorkflowAtNodeLimit_IsRead) {
  std::string nodes;
  for (std::size_t i = 0; i < kMaxNodes; ++i) {
    nodes += (i == 0 ? "" : ",") + ("{\"id\":" + std::to_string(i)) + ",\"type\":\"A\"}";
  }
  const auto result = Workflow::parse("{\"nodes\":[" + nodes + "]}");
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->node_count(), kMaxNodes);
}

TEST(WorkflowText, EveryForm_RoundTrips) {
  for (const char* name : {"text_to_image.ui.json", "text_to_image.api.json", "detours.ui.json",
                           "detours.api.json", "subgraph.ui.json", "subgraph.api.json"}) {
    const Workflow first = sample(name);
    const auto second = Workflow::parse(first.text());
    ASSERT_TRUE(second.has_value()) << name;
    EXPECT_TRUE(*second == first) << name;
    EXPECT_EQ(second->text(), first.text()) << name;
  }
  EXPECT_EQ(sample("text_to_image.ui.json").form(), Form::ui);
  EXPECT_EQ(sample("text_to_image.api.json").form(), Form::api);
}

TEST(WorkflowText, UnknownMembersNumbersAndOrder_AreKept) {
  const std::string text =
      R"({"zeta":[0.1,1e-07,1.0,-0.0,18446744073709551615,8.5],"nodes":[{"type":"A","id":"x","odd":{"b":1,"a":2}}],"alpha":"é"})";
  const auto result = Workflow::parse(text);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->text(), text);
}

TEST(WorkflowOutline, EachNode_IsOneLineWithValuesAndLinks) {
  const std::string text = sample("text_to_image.ui.json").outline(sample_schemas());
  EXPECT_THAT(text, HasSubstr("Workflow in UI form, 7 nodes.\n"));
  EXPECT_THAT(text,
              HasSubstr("3 KSampler: model<-4.MODEL, positive<-6.CONDITIONING, "
                        "negative<-7.CONDITIONING, latent_image<-5.LATENT, seed=156680208700286, "
                        "control_after_generate=\"randomize\", steps=20, cfg=8, "
                        "sampler_name=\"euler\", scheduler=\"normal\", denoise=1 -> LATENT\n"));
  EXPECT_THAT(text, HasSubstr("6 CLIPTextEncode \"Positive\": clip<-4.CLIP, "));
  EXPECT_THAT(sample("text_to_image.api.json").outline(sample_schemas()),
              HasSubstr("8 VAEDecode \"VAE Decode\": samples<-3.LATENT, vae<-4.VAE -> IMAGE\n"));
}

TEST(WorkflowOutline, ModesSubgraphsAndUnknownClasses_AreShown) {
  const std::string detours = sample("detours.ui.json").outline(sample_schemas());
  EXPECT_THAT(detours, HasSubstr("2 LoraLoader [bypass]: "));
  EXPECT_THAT(detours, HasSubstr("11 PreviewImage [mute]: "));
  EXPECT_THAT(detours, HasSubstr("4 PrimitiveNode: value=777, control_after_generate="));
  EXPECT_THAT(sample("detours.ui.json").outline({}), HasSubstr("#0=5, #1=\"fixed\", #2=12"));
  const std::string subgraph = sample("subgraph.ui.json").outline(sample_schemas());
  EXPECT_THAT(subgraph, HasSubstr("12 Sample [subgraph]: model<-10.MODEL"));
  EXPECT_THAT(subgraph, HasSubstr("12:3 KSampler: model<-12:input.model"));
  EXPECT_THAT(subgraph, HasSubstr("12:1:1 CLIPTextEncode: clip<-12:1:input.clip"));
  EXPECT_THAT(subgraph, Not(HasSubstr("13:3")));
}

TEST(WorkflowOutline, LongValuesAndManyNodes_AreCut) {
  Workflow workflow = sample("text_to_image.ui.json");
  const std::string text = "\"" + std::string(10'000, 'x') + "\"";
  ASSERT_TRUE(workflow.set_input("6", "text", text, sample_schemas()));
  EXPECT_THAT(workflow.outline(sample_schemas()), HasSubstr("more bytes)"));
  EXPECT_LT(workflow.outline(sample_schemas()).size(), 2'000U);
  const std::string cut = workflow.outline(sample_schemas(), 400);
  EXPECT_LE(cut.size(), 460U);
  EXPECT_THAT(cut, HasSubstr("5 more nodes, from 5, are not shown.\n"));
}

TEST(WorkflowNode, Node_IsShownInFull) {
  const auto node = sample("text_to_image.ui.json").node("3", sample_schemas());
  ASSERT_TRUE(node.has_value());
  EXPECT_THAT(*node, HasSubstr(R"({"name":"steps","type":"INT","value":20,"required":true,)"
                               R"("default":20,"min":1,"max":10000})"));
  EXPECT_THAT(*node, HasSubstr(R"("max":18446744073709551615)"));
  EXPECT_THAT(*node, HasSubstr(R"("choices":["normal","karras","simple"])"));
  EXPECT_THAT(*node, HasSubstr(R"("link":{"node":"4","output":"MODEL","slot":0})"));
  EXPECT_THAT(*node, HasSubstr(R"("links":[{"node":"8","input":"samples","slot":0}])"));
  EXPECT_EQ(refusal(sample("text_to_image.ui.json").node("33", sample_schemas())),
            "There is no node \"33\". Nodes: \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\".");
}

}  // namespace
}  // namespace parley::comfyui
