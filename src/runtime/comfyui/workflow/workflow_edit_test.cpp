// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/comfyui/workflow/convert.h"
#include "runtime/comfyui/workflow/diff.h"
#include "tests/support/workflow/workflow_fixture.h"

namespace parley::comfyui {
namespace {

using testing::HasSubstr;

std::string edited(const Workflow& before, const Workflow& after) {
  return diff(before, after, sample_schemas()).lines();
}

class EditBothForms : public testing::TestWithParam<const char*> {
 protected:
  Workflow workflow_ = sample(std::string("text_to_image.") + GetParam() + ".json");
  const Workflow before_ = workflow_;

  std::string set(std::string_view id, std::string_view input, std::string_view value) {
    return refusal(workflow_.set_input(id, input, value, sample_schemas()));
  }
};
INSTANTIATE_TEST_SUITE_P(Forms, EditBothForms, testing::Values("ui", "api"));

TEST_P(EditBothForms, Value_IsSet) {
  const auto said = workflow_.set_input("3", "steps", "30", sample_schemas());
  ASSERT_TRUE(said.has_value()) << refusal(said);
  EXPECT_EQ(*said, "Node 3 (KSampler): \"steps\" is now 30 (before: 20).");
  EXPECT_EQ(edited(before_, workflow_), "~ 3 (KSampler) input steps: 20 -> 30\n");
  EXPECT_EQ(set("3", "seed", "18446744073709551615"), "");
  EXPECT_EQ(set("3", "cfg", "7"), "");
  EXPECT_EQ(set("3", "steps", "25.0"), "");
  EXPECT_EQ(set("3", "scheduler", "\"karras\""), "");
  EXPECT_EQ(set("6", "text", "\"a \\\"cat\\\"\\n\""), "");
  EXPECT_EQ(edited(before_, workflow_),
            "~ 3 (KSampler) input seed: 156680208700286 -> 18446744073709551615\n"
            "~ 3 (KSampler) input steps: 20 -> 25\n"
            "~ 3 (KSampler) input cfg: 8 -> 7\n"
            "~ 3 (KSampler) input scheduler: \"normal\" -> \"karras\"\n"
            "~ 6 (CLIPTextEncode) input text: \"a house by the sea, \\\"oil\\\"\" -> "
            "\"a \\\"cat\\\"\\n\"\n");
}

TEST_P(EditBothForms, BadValue_IsRefused_ChangesNothing) {
  EXPECT_EQ(set("3", "step", "30"),
            "Node 3 (KSampler) has no input \"step\". Did you mean \"steps\"?");
  EXPECT_EQ(set("3", "steps", "0"),
            "Node 3 (KSampler), input \"steps\": expected a number of at least 1, found 0.");
  EXPECT_EQ(set("3", "steps", "10001"),
            "Node 3 (KSampler), input \"steps\": expected a number of at most 10000, found 10001.");
  EXPECT_EQ(set("3", "steps", "2.5"),
            "Node 3 (KSampler), input \"steps\": expected a whole number, found 2.5.");
  EXPECT_EQ(set("3", "steps", "\"20\""),
            "Node 3 (KSampler), input \"steps\": expected a whole number, found \"20\".");
  EXPECT_EQ(set("3", "cfg", "null"),
            "Node 3 (KSampler), input \"cfg\": expected a number, found null.");
  EXPECT_EQ(set("3", "sampler_name", "\"Euler\""),
            "Node 3 (KSampler), input \"sampler_name\": expected one of \"euler\", "
            "\"euler_ancestral\", \"heun\", \"dpmpp_2m\", \"dpmpp_sde\", \"ddim\", found "
            "\"Euler\". Did you mean \"euler\"?");
  EXPECT_THAT(set("3", "seed", "18446744073709551616"), HasSubstr("a whole number"));
  EXPECT_THAT(set("3", "seed", "-1"), HasSubstr("at least 0"));
  EXPECT_EQ(set("6", "text", "3"),
            "Node 6 (CLIPTextEncode), input \"text\": expected a text, found 3.");
  EXPECT_THAT(set("6", "text", "cat"), HasSubstr("Write it as JSON"));
  EXPECT_THAT(set("6", "text", ""), HasSubstr("The value is empty"));
  EXPECT_THAT(set("6", "text", std::string(kMaxValueBytes + 1, ' ')), HasSubstr("at most 1048576"));
  EXPECT_THAT(set("6", "text", std::string(40, '[')), HasSubstr("deeper than 16"));
  EXPECT_THAT(set("3", "model", "3"), HasSubstr("input \"model\" takes a link of type MODEL"));
  EXPECT_THAT(set("99", "steps", "3"), HasSubstr("There is no node \"99\". Nodes: \"3\""));
  EXPECT_THAT(set("", "steps", "3"), HasSubstr("There is no node \"\"."));
  EXPECT_THAT(set("\xff", "steps", "3"), HasSubstr("must be UTF-8"));
  EXPECT_TRUE(workflow_ == before_);
}

TEST_P(EditBothForms, UploadedFile_NeedNotBeInList) {
  const auto added = workflow_.add_node("LoadImage", "", "", sample_schemas());
  ASSERT_TRUE(added.has_value()) << refusal(added);
  EXPECT_EQ(set(added->id, "image", "\"clipspace/x.png [input]\""), "");
  EXPECT_THAT(set(added->id, "image", "[\"x.png\"]"), HasSubstr("expected a single value"));
}

TEST_P(EditBothForms, Link_IsReplaced) {
  const auto said = workflow_.connect("7", "CONDITIONING", "3", "positive", sample_schemas());
  ASSERT_TRUE(said.has_value()) << refusal(said);
  EXPECT_EQ(edited(before_, workflow_),
            "+ link 7.CONDITIONING -> 3.positive\n- link 6.CONDITIONING -> 3.positive\n");
  EXPECT_TRUE(workflow_.connect("6", "0", "3", "positive", sample_schemas()));
  EXPECT_EQ(edited(before_, workflow_), "No changes.\n");
}

TEST_P(EditBothForms, BadLink_IsRefused_ChangesNothing) {
  const auto refused = [this](std::string_view from, std::string_view output, std::string_view to,
                              std::string_view input) {
    return refusal(workflow_.connect(from, output, to, input, sample_schemas()));
  };
  EXPECT_EQ(refused("4", "VAE", "3", "model"),
            "Output \"VAE\" of node 4 (CheckpointLoaderSimple) has type VAE; input \"model\" of "
            "node 3 (KSampler) expects MODEL.");
  EXPECT_EQ(refused("4", "MODLE", "3", "model"),
            "Node 4 (CheckpointLoaderSimple) has no output \"MODLE\". Did you mean \"MODEL\"?");
  EXPECT_THAT(refused("4", "3", "3", "model"), HasSubstr("has no output \"3\""));
  EXPECT_THAT(refused("4", "-1", "3", "model"), HasSubstr("has no output \"-1\""));
  EXPECT_THAT(refused("4", "MODEL", "3", "modle"), HasSubstr("Did you mean \"model\"?"));
  EXPECT_THAT(refused("44", "MODEL", "3", "model"), HasSubstr("no node \"44\""));
  EXPECT_THAT(refused("4", "MODEL", "33", "model"), HasSubstr("no node \"33\""));
  EXPECT_EQ(refused("3", "LATENT", "3", "latent_image"),
            "Node 3 (KSampler) cannot be connected to itself.");
  EXPECT_TRUE(workflow_ == before_);
}

TEST_P(EditBothForms, Loop_IsRefused) {
  const auto scale = workflow_.add_node("ImageScaleBy", "", "", sample_schemas());
  ASSERT_TRUE(scale.has_value()) << refusal(scale);
  const auto more = workflow_.add_node("ImageScaleBy", "", "", sample_schemas());
  ASSERT_TRUE(more.has_value());
  ASSERT_TRUE(workflow_.connect(scale->id, "IMAGE", more->id, "image", sample_schemas()));
  EXPECT_THAT(refusal(workflow_.connect(more->id, "IMAGE", scale->id, "image", sample_schemas())),
              HasSubstr("would close a loop"));
}

TEST_P(EditBothForms, ConnectedInput_TakesNoValue) {
  const auto added = workflow_.add_node("OptionalFirst", "", "", sample_schemas());
  ASSERT_TRUE(added.has_value());
  ASSERT_TRUE(workflow_.connect(added->id, "INT", "3", "steps", sample_schemas()));
  EXPECT_THAT(set("3", "steps", "3"), HasSubstr("Disconnect it first."));
  ASSERT_TRUE(workflow_.disconnect("3", "steps"));
  EXPECT_EQ(set("3", "steps", "3"), "");
  EXPECT_THAT(refusal(workflow_.disconnect("3", "steps")), HasSubstr("is not connected"));
}

TEST_P(EditBothForms, AddedNode_HasDefaultsAndFreshId) {
  const auto added =
      workflow_.add_node("KSampler", "Second", R"({"steps":5,"cfg":1})", sample_schemas());
  ASSERT_TRUE(added.has_value()) << refusal(added);
  EXPECT_EQ(added->id, "10");
  EXPECT_EQ(edited(before_, workflow_), "+ node 10 (KSampler) \"Second\"\n");
  const auto node = workflow_.node("10", sample_schemas());
  EXPECT_THAT(*node, HasSubstr(R"("name":"steps","type":"INT","value":5)"));
  EXPECT_THAT(*node, HasSubstr(R"("name":"sampler_name","type":"COMBO","value":"euler")"));
  EXPECT_THAT(*node, HasSubstr(R"("name":"denoise","type":"FLOAT","value":1.0)"));
  EXPECT_EQ(workflow_.add_node("KSampler", "", "", sample_schemas())->id, "11");
}

TEST_P(EditBothForms, BadNode_IsNotAdded) {
  const auto refused = [this](std::string_view type, std::string_view title,
                              std::string_view inputs) {
    return refusal(workflow_.add_node(type, title, inputs, sample_schemas()));
  };
  EXPECT_EQ(refused("Ksampler", "", ""),
            "The ComfyUI server has no node class \"Ksampler\". Did you mean \"KSampler\"?");
  EXPECT_THAT(refused("KSampler", "", R"({"step":5})"), HasSubstr("Did you mean \"steps\"?"));
  EXPECT_THAT(refused("KSampler", "", R"({"steps":0})"), HasSubstr("at least 1"));
  EXPECT_THAT(refused("KSampler", "", "[]"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(refused("KSampler", std::string(kMaxTitleBytes + 1, 'x'), ""), HasSubstr("title"));
  EXPECT_THAT(refused("DynamicMode", "", ""), HasSubstr("is a dynamic choice"));
  EXPECT_TRUE(workflow_ == before_);
}

TEST_P(EditBothForms, RemovedNode_TakesItsLinks) {
  const auto said = workflow_.remove_node("4");
  ASSERT_TRUE(said.has_value());
  EXPECT_EQ(*said, "Node 4 (CheckpointLoaderSimple) is removed with 4 links.");
  EXPECT_EQ(edited(before_, workflow_),
            "- node 4 (CheckpointLoaderSimple)" +
                std::string(workflow_.form() == Form::api ? " \"Load Checkpoint\"" : "") +
                "\n- link 4.MODEL -> 3.model\n- link 4.CLIP -> 6.clip\n- link 4.CLIP -> 7.clip\n"
                "- link 4.VAE -> 8.vae\n");
  EXPECT_FALSE(workflow_.remove_node("4").has_value());
}

TEST_P(EditBothForms, Title_IsSet) {
  EXPECT_EQ(*workflow_.set_title("6", "Bright"),
            "Node 6 (CLIPTextEncode) is now called \"Bright\".");
  EXPECT_EQ(edited(before_, workflow_), "~ 6 (CLIPTextEncode) title: \"Positive\" -> \"Bright\"\n");
  EXPECT_FALSE(workflow_.set_title("6", "\xff").has_value());
}

TEST(EditUi, Mode_IsSet) {
  Workflow workflow = sample("text_to_image.ui.json");
  const Workflow before = workflow;
  ASSERT_TRUE(workflow.set_mode("9", "mute"));
  EXPECT_EQ(edited(before, workflow), "~ 9 (SaveImage) mode: \"always\" -> \"mute\"\n");
  ASSERT_TRUE(workflow.set_mode("9", "always"));
  EXPECT_TRUE(workflow == before);
  EXPECT_THAT(refusal(workflow.set_mode("9", "off")),
              HasSubstr("\"always\", \"mute\" or \"bypass\""));
  Workflow api = sample("text_to_image.api.json");
  EXPECT_THAT(refusal(api.set_mode("9", "mute")), HasSubstr("The API form has no modes"));
}

TEST(EditUi, ControlAfterGenerate_HasOwnSlot) {
  Workflow workflow = sample("text_to_image.ui.json");
  ASSERT_TRUE(workflow.set_input("3", "control_after_generate", "\"fixed\"", sample_schemas()));
  EXPECT_THAT(workflow.text(),
              HasSubstr(R"("widgets_values":[156680208700286,"fixed",20,8,"euler","normal",1])"));
  EXPECT_THAT(refusal(workflow.set_input("3", "control_after_generate", "1", sample_schemas())),
              HasSubstr("expected one of [\"fixed\",\"increment\",\"decrement\",\"randomize\"]"));
}

TEST(EditUi, ConnectedWidget_BecomesInput_KeepsSlot) {
  Workflow workflow = sample("text_to_image.ui.json");
  const auto primitive =
      workflow.add_node("PrimitiveNode", "", R"({"value":31})", sample_schemas());
  ASSERT_TRUE(primitive.has_value()) << refusal(primitive);
  const auto said = workflow.connect(primitive->id, "0", "3", "steps", sample_schemas());
  ASSERT_TRUE(said.has_value()) << refusal(said);
  EXPECT_THAT(workflow.text(),
              HasSubstr(R"({"name":"steps","type":"INT","link":10,"widget":{"name":"steps"}})"));
  EXPECT_THAT(workflow.text(), HasSubstr(R"([10,10,0,3,4,"INT"])"));
  EXPECT_THAT(workflow.text(), HasSubstr(R"([156680208700286,"randomize",20,8,"euler")"));
  EXPECT_THAT(workflow.text(), HasSubstr(R"("last_link_id":10)"));
  EXPECT_THAT(to_api(workflow, sample_schemas())->text(), HasSubstr(R"("steps":31)"));
}

TEST(EditUi, Types_AreCheckedThroughReroutes) {
  Workflow workflow = sample("detours.ui.json");
  const auto refused = [&workflow](std::string_view from, std::string_view to,
                                   std::string_view in) {
    return refusal(workflow.connect(from, "0", to, in, sample_schemas()));
  };
  EXPECT_THAT(refused("1", "3", "0"), HasSubstr("has type MODEL; input \"0\" of node 3 (Reroute) "
                                                "expects VAE"));
  EXPECT_THAT(refused("3", "8", "model"), HasSubstr("has type VAE; input \"model\""));
  EXPECT_EQ(refused("13", "8", "steps"), "");
}

TEST(EditUi, ObjectLinks_StayObjects) {
  Workflow workflow = sample("detours.ui.json");
  ASSERT_TRUE(workflow.connect("1", "CLIP", "5", "clip", sample_schemas()));
  EXPECT_THAT(workflow.text(), HasSubstr(R"({"id":17,"origin_id":1,"origin_slot":1,"target_id":5,)"
                                         R"("target_slot":0,"type":"CLIP"})"));
  EXPECT_THAT(workflow.text(), HasSubstr(R"("lastLinkId":17)"));
}

TEST(EditUi, NewNode_IsPlacedBesideOthers) {
  Workflow workflow = sample("text_to_image.ui.json");
  ASSERT_TRUE(workflow.add_node("SaveImage", "", "", sample_schemas()));
  // The rightmost one is at 900 with a width of 300.
  EXPECT_THAT(workflow.text(), HasSubstr(R"("pos":[1260.0,50.0])"));
  ASSERT_TRUE(workflow.add_node("SaveImage", "", "", sample_schemas()));
  EXPECT_THAT(workflow.text(), HasSubstr(R"("pos":[1590.0,50.0])"));
}

TEST(EditUi, RemovedLinks_LeaveReroutePointsToo) {
  auto workflow = Workflow::parse(
      R"({"nodes":[{"id":1,"type":"LoadImage","outputs":[{"name":"IMAGE","type":"IMAGE","links":[4]}]},)"
      R"({"id":2,"type":"PreviewImage","inputs":[{"name":"images","type":"IMAGE","link":4}]}],)"
      R"("links":[[4,1,0,2,0,"IMAGE"]],"extra":{"reroutes":[{"id":1,"linkIds":[4]}],)"
      R"("linkExtensions":[{"id":4,"parentId":1}]}})");
  ASSERT_TRUE(workflow.has_value());
  ASSERT_TRUE(workflow->remove_node("1"));
  EXPECT_EQ(workflow->text(),
            R"({"nodes":[{"id":2,"type":"PreviewImage","inputs":[{"name":"images","type":"IMAGE",)"
            R"("link":null}]}],"links":[],"extra":{"reroutes":[{"id":1,"linkIds":[]}],)"
            R"("linkExtensions":[]}})");
}

TEST(EditUi, NodesInsideSubgraph_AreEdited) {
  Workflow workflow = sample("subgraph.ui.json");
  ASSERT_TRUE(workflow.set_input("12:2:1", "text", "\"changed\"", sample_schemas()));
  const auto api = to_api(workflow, sample_schemas());
  ASSERT_TRUE(api.has_value());
  EXPECT_THAT(*api->node("13:2:1", sample_schemas()), HasSubstr("\"value\":\"changed\""));
  EXPECT_THAT(refusal(workflow.connect("10", "MODEL", "12:3", "model", sample_schemas())),
              HasSubstr("cannot cross the border of a subgraph"));
  EXPECT_THAT(refusal(workflow.set_title("12:9", "x")),
              HasSubstr("There is no node \"12:9\". Nodes: \"12:1\", \"12:2\""));
  ASSERT_TRUE(workflow.remove_node("12:3"));
  EXPECT_TRUE(to_api(workflow, sample_schemas()).has_value());
}

TEST(EditUi, SubgraphWidget_IsSetWhereValueIsStored) {
  Workflow workflow = sample("subgraph.ui.json");
  // The instance has the value.
  ASSERT_TRUE(workflow.set_input("12", "3:steps", "4", sample_schemas()));
  // The definition has the value.
  ASSERT_TRUE(workflow.set_input("13", "3:steps", "6", sample_schemas()));
  const auto api = to_api(workflow, sample_schemas());
  ASSERT_TRUE(api.has_value());
  EXPECT_THAT(*api->node("12:3", sample_schemas()), HasSubstr(R"("type":"INT","value":4)"));
  EXPECT_THAT(*api->node("13:3", sample_schemas()), HasSubstr(R"("type":"INT","value":6)"));
}

TEST(EditWithoutSchemas, PlacesAndNumbers_AreTaken) {
  Workflow ui = sample("text_to_image.ui.json");
  EXPECT_EQ(refusal(ui.set_input("3", "#2", "50", {})), "");
  EXPECT_THAT(ui.text(), HasSubstr(R"("randomize",50,8)"));
  EXPECT_THAT(refusal(ui.set_input("3", "steps", "50", {})), HasSubstr("It has: \"#0\""));
  Workflow api = sample("text_to_image.api.json");
  EXPECT_EQ(refusal(api.set_input("3", "steps", "50", {})), "");
  EXPECT_EQ(refusal(api.connect("4", "1", "6", "clip", {})), "");
  EXPECT_THAT(refusal(api.connect("4", "CLIP", "6", "clip", {})), HasSubstr("must be a number"));
}

TEST(EditUi, HugeIds_DoNotOverflow) {
  auto workflow = Workflow::parse(
      R"({"last_node_id":9223372036854775807,"last_link_id":9223372036854775807,"nodes":[)"
      R"({"id":9223372036854775807,"type":"LoadImage","pos":[1e300,"x"],"order":9223372036854775807,)"
      R"("outputs":[{"name":"IMAGE","type":"IMAGE","links":null}]}],)"
      R"("links":[[9223372036854775807,1,0,2,0,"X"]]})");
  ASSERT_TRUE(workflow.has_value()) << refusal(workflow);
  const auto added = workflow->add_node("PreviewImage", "", "", sample_schemas());
  ASSERT_TRUE(added.has_value());
  EXPECT_EQ(added->id, "1");
  EXPECT_EQ(
      refusal(workflow->connect("9223372036854775807", "IMAGE", "1", "images", sample_schemas())),
      "");
}

}  // namespace
}  // namespace parley::comfyui
