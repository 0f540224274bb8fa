// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/workflow/workflow_fixture.h"

namespace parley::comfyui {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Finding> findings_of(const std::string& text) {
  const auto workflow = Workflow::parse(text);
  EXPECT_TRUE(workflow.has_value()) << refusal(workflow);
  const auto findings = validate(*workflow, sample_schemas());
  EXPECT_TRUE(findings.has_value()) << refusal(findings);
  return findings ? findings->findings : std::vector<Finding>();
}

TEST(Validate, Samples_AreFaultless) {
  for (const char* name : {"text_to_image.ui.json", "text_to_image.api.json", "detours.ui.json",
                           "detours.api.json", "subgraph.ui.json", "subgraph.api.json"}) {
    const auto findings = validate(sample(name), sample_schemas());
    ASSERT_TRUE(findings.has_value()) << name << refusal(findings);
    EXPECT_THAT(findings->findings, IsEmpty()) << name << findings->findings.front().message;
    EXPECT_FALSE(findings->good_outputs.empty()) << name;
  }
}

// An EmptyLatentImage and a decoder whose input is that of the row.
struct FindingRow {
  std::string width;
  std::string samples;
  std::string type;
  std::string input;
  std::string says;
};

TEST(Validate, EachFault_HasComfyUiName) {
  const std::vector<FindingRow> table = {
      {"8", R"(["1",0])", "value_smaller_than_min", "width",
       "8 is smaller than the least value, 16"},
      {"16385", R"(["1",0])", "value_bigger_than_max", "width",
       "16385 is bigger than the greatest value, 16384"},
      {"\"wide\"", R"(["1",0])", "invalid_input_type", "width",
       "expected a whole number, found \"wide\""},
      {"null", R"(["1",0])", "invalid_input_type", "width", "found null"},
      {R"(["1"])", R"(["1",0])", "bad_linked_input", "width", "expected a link"},
      {"64", R"(["9",0])", "bad_linked_input", "samples", "node \"9\", which does not exist"},
      {"64", R"(["1",1])", "bad_linked_input", "samples",
       "output 1 of node 1 (EmptyLatentImage), which has 1"},
      {"64", R"(["1",-1])", "bad_linked_input", "samples", "output -1 of node 1"},
      {"64", R"(["4",0])", "return_type_mismatch", "samples",
       "expected LATENT, but output \"MODEL\" of node 4 (CheckpointLoaderSimple) has type MODEL"},
  };
  for (const FindingRow& row : table) {
    const auto found = findings_of(
        R"({"1":{"class_type":"EmptyLatentImage","inputs":{"width":)" + row.width +
        R"(,"height":64,"batch_size":1}},"2":{"class_type":"VAEDecode","inputs":{"samples":)" +
        row.samples +
        R"(,"vae":["4",2]}},"3":{"class_type":"PreviewImage","inputs":{"images":["2",0]}},)"
        R"("4":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"sdxl.safetensors"}}})");
    ASSERT_GE(found.size(), 1U) << row.type << row.says;
    EXPECT_EQ(found.front().type, row.type) << row.says;
    EXPECT_EQ(found.front().input, row.input);
    EXPECT_THAT(found.front().message, HasSubstr(row.says));
  }
}

TEST(Validate, NumericText_IsParsedAsInPython) {
  EXPECT_THAT(
      findings_of(R"({"1":{"class_type":"EmptyLatentImage","inputs":{"width":" +64 ",)"
                  R"("height":64.9,"batch_size":true}},"2":{"class_type":"VAEDecode",)"
                  R"("inputs":{"samples":["1",0],"vae":["4",2]}},"3":{"class_type":)"
                  R"("PreviewImage","inputs":{"images":["2",0]}},"4":{"class_type":)"
                  R"("CheckpointLoaderSimple","inputs":{"ckpt_name":"sdxl.safetensors"}}})"),
      IsEmpty());
}

TEST(Validate, MissingInputAndUnknownChoice_AreFound) {
  const auto found = findings_of(
      R"({"1":{"class_type":"LoadImage","inputs":{"image":"cat.png"}},"2":{"class_type":)"
      R"("ImageScaleBy","inputs":{"image":["1",0],"scale_by":1,"upscale_method":"lanczo"}},)"
      R"("3":{"class_type":"SaveImage","inputs":{"images":["2",0]}}})");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].type, "value_not_in_list");
  EXPECT_THAT(found[0].message,
              AllOf(HasSubstr("Node 2 (ImageScaleBy), input \"upscale_method\": expected one of "),
                    HasSubstr("found \"lanczo\". Did you mean \"lanczos\"")));
  EXPECT_EQ(found[1].type, "required_input_missing");
  EXPECT_EQ(found[1].node, "3");
  EXPECT_EQ(found[1].input, "filename_prefix");
}

TEST(Validate, UploadedFile_NeedNotBeInList) {
  for (const std::string file : {"sub/pic.png", "clipspace/x.png [input]", "x.png [output]"}) {
    EXPECT_THAT(
        findings_of(R"({"1":{"class_type":"LoadImage","inputs":{"image":")" + file +
                    R"("}},"2":{"class_type":"PreviewImage","inputs":{"images":["1",0]}}})"),
        IsEmpty());
  }
}

TEST(Validate, WholeWorkflowFaults_AreFound) {
  const auto empty = findings_of("{}");
  ASSERT_EQ(empty.size(), 1U);
  EXPECT_EQ(empty.front().type, "prompt_no_outputs");
  const std::string unknown = R"({"nodes":[{"id":1,"type":"Nope"},{"id":2,"type":"Nope2"},)"
                              R"({"id":3,"type":"Muted","mode":2}],"links":[]})";
  const auto missing = findings_of(unknown);
  ASSERT_EQ(missing.size(), 2U);
  EXPECT_EQ(missing.front().type, "missing_node_type");
  EXPECT_EQ(findings_of(R"({"5":{"class_type":"Nope","inputs":{}}})").front().node, "5");
}

TEST(Validate, OutputsWithoutFaultyNode_AreGood) {
  const auto good = [](const std::string& more) {
    const auto workflow = Workflow::parse(
        R"({"1":{"class_type":"LoadImage","inputs":{"image":"cat.png"}},)"
        R"("2":{"class_type":"ImageScaleBy","inputs":{"image":["1",0],"scale_by":0,)"
        R"("upscale_method":"lanczos"}},"3":{"class_type":"PreviewImage","inputs":{"images":)"
        R"(["1",0]}},"4":{"class_type":"PreviewImage","inputs":{"images":["2",0]}},"5":)"
        R"({"class_type":"ImageScaleBy","inputs":{"image":["5",0],"scale_by":1,)"
        R"("upscale_method":"lanczos"}},"6":{"class_type":"PreviewImage","inputs":{"images":)"
        R"(["5",0]}})" +
        more + "}");
    EXPECT_TRUE(workflow.has_value()) << refusal(workflow);
    return validate(*workflow, sample_schemas())->good_outputs;
  };
  EXPECT_THAT(good(""), ElementsAre("3"));
  EXPECT_THAT(good(R"(,"7":{"class_type":"Nope","inputs":{}})"), IsEmpty());
}

TEST(Validate, NodesNeededByNoOutput_AreSkipped) {
  EXPECT_THAT(findings_of(R"({"1":{"class_type":"LoadImage","inputs":{"image":"cat.png"}},)"
                          R"("2":{"class_type":"PreviewImage","inputs":{"images":["1",0]}},)"
                          R"("3":{"class_type":"KSampler","inputs":{}}})"),
              IsEmpty());
}

TEST(Validate, Cycle_IsFound) {
  const std::string scale = R"({"class_type":"ImageScaleBy","inputs":{"upscale_method":"lanczos",)"
                            R"("scale_by":1,"image":[)";
  const auto found = findings_of(
      "{\"1\":" + scale + "\"2\",0]}},\"2\":" + scale + "\"1\",0]}},\"3\":" + scale +
      "\"1\",0]}},\"4\":{\"class_type\":\"PreviewImage\",\"inputs\":{\"images\":" + "[\"3\",0]}}}");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().type, "dependency_cycle");
  EXPECT_THAT(found.front().message, HasSubstr("over the nodes \"1\", \"2\"."));
  const auto self = findings_of("{\"1\":" + scale + "\"1\",0]}},\"4\":{\"class_type\":" +
                                "\"PreviewImage\",\"inputs\":{\"images\":[\"1\",0]}}}");
  ASSERT_EQ(self.size(), 1U);
  EXPECT_EQ(self.front().type, "dependency_cycle");
}

TEST(Validate, Findings_AreBounded) {
  std::string text = "{";
  for (int i = 0; i < 1'000; ++i) {
    text += (i == 0 ? "\"" : ",\"") + std::to_string(i) +
            R"(":{"class_type":"PreviewImage","inputs":{}})";
  }
  EXPECT_EQ(findings_of(text + "}").size(), kMaxFindings);
}

}  // namespace
}  // namespace parley::comfyui
