// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "comfyui/prompt_check.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <utility>

#include "comfyui/fake/comfy_world.h"
#include "comfyui/fake/prompt_rules.h"

namespace parley::comfyui {
namespace {

using boost::json::object;

// The check of the client, and the rules of a server, on the same workflow.
class PromptCheckTest : public ::testing::Test {
 protected:
  PromptFaults check(const object& prompt) {
    return check_prompt(prompt, [this](std::string_view name) -> const object* {
      if (!catalog.has(name)) return nullptr;
      auto& kept = schemas[std::string(name)];
      kept = catalog.describe(name).get_object();
      return &kept;
    });
  }
  static object& inputs(object& prompt, const char* node) {
    return prompt[node].get_object()["inputs"].get_object();
  }

  fake_comfyui::Models models = fake_comfyui::sample_models();
  fake_comfyui::NodeCatalog catalog{models, [] { return std::vector<std::string>{"example.png"}; }};
  std::map<std::string, object> schemas;
};

// node, input, type
using Seen = std::set<std::tuple<std::string, std::string, std::string>>;

TEST_F(PromptCheckTest, AgreesWithTheServer) {
  const std::vector<std::pair<const char*, std::function<void(object&)>>> changes = {
      {"nothing", [](object&) {}},
      {"missing input", [](object& p) { inputs(p, "3").erase("seed"); }},
      {"missing link", [](object& p) { inputs(p, "8").erase("vae"); }},
      {"too small", [](object& p) { inputs(p, "3")["steps"] = 0; }},
      {"too big", [](object& p) { inputs(p, "3")["denoise"] = 1.5; }},
      {"no number", [](object& p) { inputs(p, "3")["cfg"] = "much"; }},
      {"null", [](object& p) { inputs(p, "3")["seed"] = nullptr; }},
      {"number as text", [](object& p) { inputs(p, "3")["steps"] = "12"; }},
      {"no choice", [](object& p) { inputs(p, "3")["scheduler"] = "fast"; }},
      {"no model", [](object& p) { inputs(p, "4")["ckpt_name"] = "x.ckpt"; }},
      {"wrong type",
       [](object& p) {
         inputs(p, "8")["samples"] = {"4", 2};
       }},
      {"short link", [](object& p) { inputs(p, "8")["samples"] = boost::json::array({"3"}); }},
      {"unknown input", [](object& p) { inputs(p, "3")["magic"] = 1; }},
      {"two faults",
       [](object& p) {
         inputs(p, "3")["steps"] = 0;
         inputs(p, "5")["width"] = 1;
       }},
      {"fault in a node that no output needs",
       [](object& p) {
         p["40"] = {{"class_type", "EmptyLatentImage"}, {"inputs", {{"width", 1}}}};
       }},
      {"unknown picture",
       [](object& p) {
         p["41"] = {{"class_type", "LoadImage"}, {"inputs", {{"image", "example.png"}}}};
         inputs(p, "9")["images"] = {"41", 0};
       }},
  };
  for (const auto& [name, change] : changes) {
    object prompt = sample_prompt();
    change(prompt);
    const auto verdict =
        fake_comfyui::validate_prompt(prompt, catalog, [](std::string_view) { return true; });
    Seen server;
    for (const auto& node : verdict.node_errors) {
      for (const auto& error : node.value().at("errors").get_array()) {
        server.emplace(std::string(node.key()),
                       std::string(error.at("extra_info").at("input_name").get_string()),
                       std::string(error.at("type").get_string()));
      }
    }
    const PromptFaults faults = check(prompt);
    Seen ours;
    for (const NodeFault& fault : faults.nodes)
      ours.emplace(fault.node_id, fault.input, fault.type);
    EXPECT_EQ(ours, server) << name;
    EXPECT_EQ(faults.empty(), verdict.valid) << name;
  }
}

TEST_F(PromptCheckTest, NoOutputs_NoClass_NoSuchClass) {
  object prompt = sample_prompt();
  prompt.erase("9");
  EXPECT_EQ(check(prompt).type, "prompt_no_outputs");
  EXPECT_EQ(check({}).type, "prompt_no_outputs");
  prompt["9"] = object{{"inputs", object()}};
  EXPECT_EQ(check(prompt).type, "invalid_prompt");
  prompt["9"] = 7;
  EXPECT_EQ(check(prompt).type, "invalid_prompt");
  prompt["9"] = {{"class_type", "A"}, {"inputs", object()}};
  prompt["8"] = {{"class_type", "B"}, {"inputs", object()}};
  const PromptFaults faults = check(prompt);
  EXPECT_EQ(faults.type, "missing_node_type");
  EXPECT_EQ(faults.nodes.size(), 2U);
}

TEST_F(PromptCheckTest, LinksToNothing_AreBad) {
  for (const boost::json::array& link :
       {boost::json::array{"99", 0}, boost::json::array{"3", 5}, boost::json::array{"3", -1},
        boost::json::array{3, 0}, boost::json::array{"3", "0"}}) {
    object prompt = sample_prompt();
    inputs(prompt, "8")["samples"] = link;
    const PromptFaults faults = check(prompt);
    ASSERT_EQ(faults.nodes.size(), 1U);
    EXPECT_EQ(faults.nodes[0].type, "bad_linked_input");
    EXPECT_EQ(faults.nodes[0].input, "samples");
  }
}

TEST_F(PromptCheckTest, ACircle_IsAFault) {
  object prompt = slow_prompt(1);
  inputs(prompt, "2")["image"] = {"2", 0};
  const PromptFaults faults = check(prompt);
  ASSERT_EQ(faults.nodes.size(), 1U);
  EXPECT_EQ(faults.nodes[0].type, "dependency_cycle");
}

TEST(PromptCheckSchema, NewerForms_AreUnderstood) {
  const object schema = json_object(R"({"output_node":true,"output":[],"input":{"required":{
      "mode":["COMBO",{"options":["a","b"]}],
      "any":["*",{}],"number":["INT,FLOAT",{}]},"optional":{"odd":[],"odder":7}}})");
  const object source = json_object(R"({"output":["INT",["x","y"]],"input":{"required":{}}})");
  const SchemaLookup lookup = [&](std::string_view name) {
    return name == "Sink" ? &schema : &source;
  };
  object prompt = json_object(R"({"1":{"class_type":"Source","inputs":{}},
      "2":{"class_type":"Sink","inputs":{"mode":"b","any":["1",0],"number":["1",0],"odd":1}}})");
  EXPECT_TRUE(check_prompt(prompt, lookup).empty()) << check_prompt(prompt, lookup).text();
  prompt["2"].get_object()["inputs"] = json_object(R"({"mode":"c","any":1,"number":["1",1]})");
  const PromptFaults faults = check_prompt(prompt, lookup);
  ASSERT_EQ(faults.nodes.size(), 2U);
  EXPECT_EQ(faults.nodes[0].type, "value_not_in_list");
  EXPECT_EQ(faults.nodes[1].type, "return_type_mismatch");
}

TEST(PromptCheckLimits, TooManyNodes_AreRefused) {
  object prompt;
  for (std::size_t i = 0; i <= kMaxPromptNodes; ++i) prompt[std::to_string(i)] = object();
  EXPECT_EQ(check_prompt(prompt, [](auto) { return nullptr; }).type, "invalid_prompt");
}

}  // namespace
}  // namespace parley::comfyui
