// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/workflow/workflow_fixture.h"

namespace parley::comfyui {
namespace {

using testing::HasSubstr;

std::string conversion_error(const std::string& nodes, const std::string& rest = "\"links\":[]") {
  const auto workflow = Workflow::parse("{\"nodes\":[" + nodes + "]," + rest + "}");
  EXPECT_TRUE(workflow.has_value()) << refusal(workflow);
  return refusal(to_api(*workflow, sample_schemas()));
}

std::string converted(const std::string& nodes, const std::string& rest = "\"links\":[]") {
  const auto workflow = Workflow::parse("{\"nodes\":[" + nodes + "]," + rest + "}");
  EXPECT_TRUE(workflow.has_value()) << refusal(workflow);
  const auto api = to_api(*workflow, sample_schemas());
  EXPECT_TRUE(api.has_value()) << refusal(api);
  return api ? api->text() : "";
}

TEST(Convert, Samples_BecomeApiForm) {
  for (const std::string name : {"text_to_image", "detours", "subgraph"}) {
    const auto api = to_api(sample(name + ".ui.json"), sample_schemas());
    ASSERT_TRUE(api.has_value()) << name << ": " << api.error().message;
    EXPECT_TRUE(*api == sample(name + ".api.json")) << name << "\n" << api->text();
  }
}

TEST(Convert, ApiForm_IsCopied) {
  const Workflow api = sample("detours.api.json");
  EXPECT_TRUE(*to_api(api, {}) == api);
}

TEST(Convert, MissingValues_BecomeDefaults) {
  EXPECT_EQ(converted(R"({"id":1,"type":"OptionalFirst"})"),
            R"({"1":{"inputs":{"a":true,"b":5},"class_type":"OptionalFirst",)"
            R"("_meta":{"title":"OptionalFirst"}}})");
}

TEST(Convert, ListValue_IsWrapped) {
  EXPECT_THAT(converted(R"({"id":1,"type":"WeightList","widgets_values":[[1,2]]})"),
              HasSubstr(R"("weights":{"__value__":[1,2]})"));
}

TEST(Convert, ForcedInputAndUploadValues_AreLeftOut) {
  EXPECT_THAT(converted(R"({"id":1,"type":"ForcedSeed","widgets_values":["b"]})"),
              HasSubstr(R"("inputs":{"label":"b"})"));
  EXPECT_THAT(converted(R"({"id":1,"type":"ForcedSeed","widgets_values":[7,"fixed","b"]})"),
              HasSubstr(R"("inputs":{"label":"b"})"));
  EXPECT_THAT(converted(R"({"id":1,"type":"LoadImage","widgets_values":["dog.png","image"]})"),
              HasSubstr(R"("inputs":{"image":"dog.png"})"));
}

TEST(Convert, LinkFromMutedNode_IsDropped) {
  const std::string text = converted(
      R"({"id":1,"type":"LoadImage","mode":2,"outputs":[{"name":"IMAGE","type":"IMAGE","links":[1]}]},)"
      R"({"id":2,"type":"PreviewImage","inputs":[{"name":"images","type":"IMAGE","link":1}]})",
      R"("links":[[1,1,0,2,0,"IMAGE"]])");
  EXPECT_EQ(text,
            R"({"2":{"inputs":{},"class_type":"PreviewImage","_meta":{"title":"Preview Image"}}})");
}

TEST(Convert, BypassWithoutFittingInput_CutsLink) {
  const std::string text = converted(
      R"({"id":1,"type":"VAEDecode","mode":4,"inputs":[{"name":"samples","type":"LATENT","link":null}],)"
      R"("outputs":[{"name":"IMAGE","type":"IMAGE","links":[1]}]},)"
      R"({"id":2,"type":"PreviewImage","inputs":[{"name":"images","type":"IMAGE","link":1}]})",
      R"("links":[[1,1,0,2,0,"IMAGE"]])");
  EXPECT_THAT(text, HasSubstr(R"("2":{"inputs":{})"));
}

TEST(Convert, MutedAndBypassedSubgraphs_AreLikeNodes) {
  Workflow workflow = sample("subgraph.ui.json");
  ASSERT_TRUE(workflow.set_mode("12", "bypass"));
  auto api = to_api(workflow, sample_schemas());
  ASSERT_TRUE(api.has_value());
  // Output "model" is bridged to input "model"; no input fits "LATENT".
  EXPECT_THAT(*api->node("13:3", sample_schemas()), HasSubstr(R"("node":"10","output":"MODEL")"));
  EXPECT_FALSE(api->node("12:3", sample_schemas()).has_value());
  ASSERT_TRUE(workflow.set_mode("12", "mute"));
  api = to_api(workflow, sample_schemas());
  ASSERT_TRUE(api.has_value());
  EXPECT_THAT(api->text(), HasSubstr(R"x("14":{"inputs":{"vae":["10",2]})x"));
}

TEST(Convert, Errors_NameNode) {
  EXPECT_EQ(conversion_error(R"({"id":5,"type":"KSampler2"})"),
            "Node 5 (KSampler2): The ComfyUI server has no node class \"KSampler2\". "
            "Did you mean \"KSampler\"?");
  EXPECT_THAT(conversion_error(R"({"id":5,"type":"DynamicMode"})"),
              HasSubstr("Node 5 (DynamicMode): the input \"mode\""));
  const std::string preview =
      R"({"id":2,"type":"PreviewImage","inputs":[{"name":"images","type":"IMAGE","link":1}]})";
  EXPECT_EQ(conversion_error(preview),
            "Node 2 (PreviewImage), input \"images\": its link \"1\" does not exist.");
  EXPECT_EQ(conversion_error(preview, R"("links":[[1,9,0,2,0,"IMAGE"]])"),
            "Node 2 (PreviewImage), input \"images\": its link \"1\" comes from node \"9\", which "
            "does not exist.");
  const std::string image = R"({"id":1,"type":"LoadImage"},)";
  for (const std::string slot : {"2", "-1", "99999999999"}) {
    EXPECT_THAT(conversion_error(image + preview, "\"links\":[[1,1," + slot + ",2,0,\"IMAGE\"]]"),
                HasSubstr("comes from output " + slot + " of node 1 (LoadImage), which has 2."));
  }
}

TEST(Convert, RerouteLoop_IsRefused) {
  const std::string loop =
      R"({"id":1,"type":"Reroute","inputs":[{"name":"","type":"*","link":2}]},)"
      R"({"id":2,"type":"Reroute","inputs":[{"name":"","type":"*","link":1}]},)"
      R"({"id":3,"type":"PreviewImage","inputs":[{"name":"images","type":"IMAGE","link":3}]})";
  EXPECT_THAT(
      conversion_error(loop, R"("links":[[1,1,0,2,0,"*"],[2,2,0,1,0,"*"],[3,1,0,3,0,"IMAGE"]])"),
      HasSubstr("goes round in a loop"));
}

TEST(Convert, RecursiveSubgraph_IsRefused) {
  const std::string definitions =
      R"("links":[],"definitions":{"subgraphs":[{"id":"s","nodes":[{"id":1,"type":"s"}]}]})";
  EXPECT_THAT(conversion_error(R"({"id":1,"type":"s"})", definitions),
              HasSubstr("subgraphs are nested deeper than 16 levels, or one contains itself"));
}

// Each definition contains the next one ten times: 10^9 nodes in a short text.
TEST(Convert, SubgraphBomb_IsRefused) {
  std::string definitions;
  for (int level = 0; level < 9; ++level) {
    std::string nodes;
    for (int i = 0; i < 10; ++i) {
      nodes += (i == 0 ? "" : ",") + ("{\"id\":" + std::to_string(i)) + ",\"type\":\"" +
               (level == 8 ? "LoadImage" : "s" + std::to_string(level + 1)) + "\"}";
    }
    definitions += (level == 0 ? "" : ",") + ("{\"id\":\"s" + std::to_string(level)) +
                   "\",\"nodes\":[" + nodes + "]}";
  }
  EXPECT_THAT(conversion_error(R"({"id":1,"type":"s0"})",
                               "\"definitions\":{\"subgraphs\":[" + definitions + "]}"),
              HasSubstr("expanded has more than 10000 nodes"));
}

// One long text in a definition that is used many times.
TEST(Convert, LongTextManyTimes_IsRefused) {
  std::string nodes;
  for (int i = 0; i < 200; ++i) {
    nodes += (i == 0 ? "" : ",") + ("{\"id\":" + std::to_string(i)) + ",\"type\":\"s\"}";
  }
  EXPECT_THAT(conversion_error(nodes, R"("definitions":{"subgraphs":[{"id":"s","nodes":[{"id":1,)"
                                      R"("type":"CLIPTextEncode","widgets_values":[")" +
                                          std::string(100'000, 'x') + R"("]}]}]})"),
              HasSubstr("expanded has more than 8388608 bytes"));
}

}  // namespace
}  // namespace parley::comfyui
