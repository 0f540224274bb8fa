// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/node_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/workflow/workflow_fixture.h"

namespace parley::comfyui {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(NodeSchemas, Inputs_KeepOrderAndRules) {
  const NodeSchema* sampler = sample_schemas().find("KSampler");
  ASSERT_NE(sampler, nullptr);
  EXPECT_THAT(sampler->input_names(),
              ElementsAre("model", "seed", "steps", "cfg", "sampler_name", "scheduler", "positive",
                          "negative", "latent_image", "denoise"));
  const InputSchema& seed = *sampler->input("seed");
  EXPECT_EQ(seed.widget, WidgetKind::integer);
  EXPECT_TRUE(seed.control_after_generate);
  EXPECT_EQ(*seed.max, 18446744073709551615.0L);
  EXPECT_EQ(sampler->input("model")->widget, WidgetKind::none);
  EXPECT_EQ(sampler->input("sampler_name")->choices.size(), 6U);
  EXPECT_EQ(sampler->input("scheduler")->choices.size(), 3U);  // ["COMBO", {options}]
  EXPECT_EQ(sampler->outputs.front().type, "LATENT");
  EXPECT_THAT(sample_schemas().find("SaveImage")->hidden, ElementsAre("prompt", "extra_pnginfo"));
  EXPECT_TRUE(sample_schemas().find("SaveImage")->output_node);
}

TEST(NodeSchemas, RequiredInputs_WithoutInputOrder_ComeFirst) {
  EXPECT_THAT(sample_schemas().find("OptionalFirst")->input_names(), ElementsAre("a", "b"));
}

TEST(NodeSchemas, OddParts_AreTakenAsAbsent) {
  const NodeSchema* odd = sample_schemas().find("Odd");
  ASSERT_NE(odd, nullptr);
  EXPECT_EQ(odd->input("x")->type, "*");
  EXPECT_EQ(odd->input("y")->widget, WidgetKind::none);
  EXPECT_THAT(odd->input("z")->choices, ElementsAre("\"a\"", "1", "2.5"));
  EXPECT_THAT(odd->outputs, IsEmpty());
  NodeSchemas schemas;
  EXPECT_TRUE(schemas.add(R"({"A":3,"B":{},"C":{"input":[],"output":[7,[1]],"input_order":2}})"));
  EXPECT_THAT(schemas.types(), ElementsAre("B", "C"));
}

TEST(NodeSchemas, SeedWithoutOption_HasControl) {
  NodeSchemas schemas;
  ASSERT_TRUE(schemas.add(R"({"A":{"input":{"required":{"seed":["INT"],"noise_seed":["INT",{}],
      "steps":["INT"]}}},"B":{"input":{"required":{
      "seed":["INT",{"control_after_generate":false}],"seed2":["INT",{"control_after_generate":"fixed"}]}}}})"));
  EXPECT_TRUE(schemas.find("A")->input("seed")->control_after_generate);
  EXPECT_TRUE(schemas.find("A")->input("noise_seed")->control_after_generate);
  EXPECT_FALSE(schemas.find("A")->input("steps")->control_after_generate);
  EXPECT_FALSE(schemas.find("B")->input("seed")->control_after_generate);
  EXPECT_TRUE(schemas.find("B")->input("seed2")->control_after_generate);
}

TEST(NodeSchemas, InputsThatClassValidates_HaveOpenChoices) {
  NodeSchemas schemas;
  ASSERT_TRUE(schemas.add(R"({"A":{"input":{"required":{
      "image":[["a.png"],{"image_upload":true}],"mesh":["COMBO",{"options":["m.glb"],"file_upload":true}],
      "clip":[["c.mp4"],{"upload":true}],"plain":[["x"],{"image_upload":false}]}}},
      "LoadLatent":{"input":{"required":{"latent":[["a.latent"]]}}}})"));
  for (const char* name : {"image", "mesh", "clip"}) {
    EXPECT_TRUE(schemas.find("A")->input(name)->open_choices) << name;
    EXPECT_THAT(schemas.find("A")->input(name)->choices, SizeIs(1));
  }
  EXPECT_FALSE(schemas.find("A")->input("plain")->open_choices);
  EXPECT_TRUE(schemas.find("LoadLatent")->input("latent")->open_choices);
}

TEST(NodeSchemas, LaterDocument_ReplacesClass) {
  NodeSchemas schemas;
  ASSERT_TRUE(schemas.add(R"({"A":{"category":"one"},"B":{}})"));
  ASSERT_TRUE(schemas.add(R"({"A":{"category":"two"}})"));
  EXPECT_EQ(schemas.find("A")->category, "two");
  EXPECT_EQ(schemas.size(), 2U);
}

TEST(NodeSchemas, BadDocument_IsRefused_ChangesNothing) {
  NodeSchemas schemas;
  ASSERT_TRUE(schemas.add(R"({"A":{}})"));
  EXPECT_THAT(refusal(schemas.add("<html>")), HasSubstr("(/object_info) is not JSON"));
  EXPECT_THAT(refusal(schemas.add("[]")), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal(schemas.add(std::string(kMaxSchemaBytes + 1, ' '))), HasSubstr("at most"));
  EXPECT_EQ(schemas.size(), 1U);
}

TEST(BoundText, WholeNumbers_HaveAllDigits) {
  EXPECT_EQ(bound_text(18446744073709551615.0L), "18446744073709551615");
  EXPECT_EQ(bound_text(-9223372036854775807.0L), "-9223372036854775807");
  EXPECT_EQ(bound_text(10'000), "10000");
  EXPECT_EQ(bound_text(0.01), "0.01");
  EXPECT_EQ(bound_text(-0.5), "-0.5");
  EXPECT_EQ(bound_text(1e30L), "1e+30");
}

TEST(TypesFit, AnyListsAndCase_Fit) {
  EXPECT_TRUE(types_fit("IMAGE", "IMAGE"));
  EXPECT_TRUE(types_fit("*", "IMAGE"));
  EXPECT_TRUE(types_fit("IMAGE", "*"));
  EXPECT_TRUE(types_fit("MASK", "IMAGE,MASK"));
  EXPECT_TRUE(types_fit("A, B", "b,c"));
  EXPECT_TRUE(types_fit("Image", "image"));
  EXPECT_FALSE(types_fit("IMAGE", "MASK"));
  EXPECT_FALSE(types_fit("INT", "FLOAT"));
  EXPECT_FALSE(types_fit("A,B", "C"));
}

}  // namespace
}  // namespace parley::comfyui
