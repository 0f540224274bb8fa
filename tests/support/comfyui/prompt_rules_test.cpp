// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/comfyui/prompt_rules.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace parley::fake_comfyui {
namespace {

class PromptRulesTest : public ::testing::Test {
 protected:
  Verdict judge(const char* json) {
    return validate_prompt(boost::json::parse(json).get_object(), catalog,
                           [](std::string_view name) { return name == "there.png"; });
  }
  Models models = sample_models();
  NodeCatalog catalog{models, [] { return std::vector<std::string>{"there.png"}; }};
};

TEST_F(PromptRulesTest, GoodOutputsRun_BadOnesAreNamed) {
  const Verdict verdict = judge(R"({
    "1":{"class_type":"LoadImage","inputs":{"image":"there.png"}},
    "2":{"class_type":"LoadImage","inputs":{"image":"gone.png"}},
    "3":{"class_type":"PreviewImage","inputs":{"images":["1",0]}},
    "4":{"class_type":"PreviewImage","inputs":{"images":["2",0]}},
    "5":{"class_type":"SaveImage","inputs":{"images":["2",0],"filename_prefix":"x"}}})");
  EXPECT_TRUE(verdict.valid);
  EXPECT_EQ(verdict.outputs, std::vector<std::string>{"3"});
  ASSERT_TRUE(verdict.node_errors.contains("2"));
  EXPECT_EQ(verdict.node_errors.at("2").at("errors").at(0).at("type"), "custom_validation_failed");
  EXPECT_FALSE(verdict.node_errors.at("2")
                   .at("errors")
                   .at(0)
                   .at("extra_info")
                   .get_object()
                   .contains("received_value"));
  EXPECT_EQ(verdict.node_errors.at("2").at("dependent_outputs"), boost::json::array({"4", "5"}));
  EXPECT_EQ(verdict.node_errors.size(), 1U);  // nodes behind it are not reported
}

TEST_F(PromptRulesTest, UnknownNode_IsException) {
  const Verdict verdict =
      judge(R"({"3":{"class_type":"PreviewImage","inputs":{"images":["9",0]}}})");
  EXPECT_FALSE(verdict.valid);
  EXPECT_EQ(verdict.error.at("type"), "prompt_outputs_failed_validation");
  const boost::json::value& error = verdict.node_errors.at("3").at("errors").at(0);
  EXPECT_EQ(error.at("type"), "exception_during_validation");
  EXPECT_EQ(error.at("details"), "'9'");
  EXPECT_EQ(error.at("extra_info").at("exception_type"), "KeyError");
  EXPECT_FALSE(error.at("extra_info").at("traceback").as_array().empty());
}

TEST_F(PromptRulesTest, UnknownNodeBehindInnerNode_IsErrorOfInnerNode) {
  const Verdict verdict = judge(R"({
    "2":{"class_type":"TestSlow","inputs":{"image":["9",0],"ticks":1}},
    "3":{"class_type":"PreviewImage","inputs":{"images":["2",0]}}})");
  EXPECT_FALSE(verdict.valid);
  ASSERT_EQ(verdict.node_errors.size(), 1U);
  const boost::json::value& error = verdict.node_errors.at("2").at("errors").at(0);
  EXPECT_EQ(error.at("type"), "exception_during_inner_validation");
  EXPECT_EQ(error.at("extra_info").at("linked_node"), boost::json::array({"2", 0}));
}

TEST_F(PromptRulesTest, ListOfOtherForm_IsCheckedToo) {
  EXPECT_EQ(judge(R"({"1":{"class_type":"UpscaleModelLoader","inputs":{"model_name":"no"}},
    "2":{"class_type":"ImageUpscaleWithModel","inputs":{"upscale_model":["1",0],"image":["3",0]}},
    "3":{"class_type":"LoadImage","inputs":{"image":"there.png"}},
    "4":{"class_type":"PreviewImage","inputs":{"images":["2",0]}}})")
                .node_errors.at("1")
                .at("errors")
                .at(0)
                .at("type"),
            "value_not_in_list");
}

TEST_F(PromptRulesTest, Cycle_HasNoError) {
  const Verdict verdict = judge(R"({
    "2":{"class_type":"TestSlow","inputs":{"image":["2",0],"ticks":1}},
    "3":{"class_type":"PreviewImage","inputs":{"images":["2",0]}}})");
  EXPECT_FALSE(verdict.valid);
  EXPECT_EQ(verdict.error.at("type"), "prompt_outputs_failed_validation");
  EXPECT_TRUE(verdict.node_errors.empty());
}

TEST_F(PromptRulesTest, IllFormedNodes_AreRefused) {
  for (const char* json :
       {R"({"1":7})", R"({"1":{}})", R"({"1":{"class_type":7,"inputs":{}}})",
        R"({"1":{"class_type":"SaveImage"}})", R"({"1":{"class_type":"SaveImage","inputs":[]}})"}) {
    EXPECT_EQ(judge(json).error.at("type"), "invalid_prompt") << json;
  }
  EXPECT_EQ(judge(R"({"1":{"class_type":"No","inputs":{}}})").error.at("type"), "invalid_prompt");
  EXPECT_EQ(judge("{}").error.at("type"), "prompt_no_outputs");
}

}  // namespace
}  // namespace parley::fake_comfyui
