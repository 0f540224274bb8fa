// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/tool/server_tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <fstream>
#include <sstream>

#include "base/core/temp_folder.h"
#include "runtime/comfyui/tool/workflow_tools.h"
#include "tests/support/comfyui/comfy_world.h"

namespace parley::comfyui {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using tool::ToolResult;

using FaultKind = ComfyWorld::Fault::Kind;

class ServerToolsTest : public ::testing::Test {
 protected:
  explicit ServerToolsTest(fake_comfyui::FakeOptions options = ComfyWorld::quick())
      : world(std::move(options)) {
    registry = std::move(*ServerRegistry::open(folder.path(), {world.server->url()}, world.clock));
    dependencies = std::unique_ptr<ComfyDependencies>(
        new ComfyDependencies{*registry, world.fetcher, world.sockets, world.entropy});
    open(boost::json::serialize(sample_prompt(5, 4)));
  }
  ~ServerToolsTest() override {
    source.cancel("The test ends.");
    world.on_home([this] { tools.clear(); });
  }

  // Creates the tools of a run with this workflow; empty: no workflow is open.
  void open(const std::string& text) {
    const auto link = std::make_shared<ServerLink>(*dependencies, registry->first_of_settings());
    const auto workflow = text.empty() ? nullptr : std::make_shared<OpenWorkflow>(text);
    tools = server_tools(link, workflow, workers);
    if (!workflow) return;
    for (tool::ToolPtr& each : workflow_tools(workflow, link, workers, nullptr)) {
      tools.push_back(std::move(each));
    }
  }
  const tool::ToolPtr& tool_of(const std::string& name) {
    return *std::find_if(tools.begin(), tools.end(),
                         [&name](const auto& each) { return each->spec().name == name; });
  }
  std::future<ToolResult> begin(const std::string& name, const std::string& arguments) {
    auto told = std::make_shared<std::promise<ToolResult>>();
    tool::ToolContext context;
    context.scheduler = &world.home;
    context.cancel = source.token();
    context.output = [this](std::string_view line) {
      lines.emplace_back(line);
      if (line.find("TestSlow ") != std::string_view::npos && !std::exchange(runs, true)) {
        running.set_value();
      }
    };
    tool_of(name)->run(std::move(context), json_object(arguments),
                       [told](ToolResult result) { told->set_value(std::move(result)); });
    return told->get_future();
  }
  static ToolResult wait(std::future<ToolResult> answer) {
    if (answer.wait_for(std::chrono::minutes(2)) != std::future_status::ready) {
      ADD_FAILURE() << "no result";
      return ToolResult::error("no result");
    }
    return answer.get();
  }
  std::string call(const std::string& name, const std::string& arguments = "{}") {
    const ToolResult result = wait(begin(name, arguments));
    EXPECT_FALSE(result.is_error) << name << ": " << result.content;
    return result.content;
  }
  std::string error(const std::string& name, const std::string& arguments = "{}") {
    const ToolResult result = wait(begin(name, arguments));
    EXPECT_TRUE(result.is_error) << name << ": " << result.content;
    return result.content;
  }

  core::TempFolder folder;
  ComfyWorld world;
  tool::WorkerPool workers{2};
  std::unique_ptr<ServerRegistry> registry;
  std::unique_ptr<ComfyDependencies> dependencies;
  std::vector<tool::ToolPtr> tools;
  core::CancelSource source;
  // Written on the client's thread, until the result arrives.
  std::vector<std::string> lines;
  bool runs = false;
  std::promise<void> running;
};

class OldServerToolsTest : public ServerToolsTest {
 protected:
  OldServerToolsTest() : ServerToolsTest(old()) {}

 private:
  static fake_comfyui::FakeOptions old() {
    fake_comfyui::FakeOptions options = ComfyWorld::quick();
    options.old_shapes = true;
    return options;
  }
};

// --- reading -------------------------------------------------------------------------------------

TEST_F(ServerToolsTest, Nodes_AreListedAndSearched) {
  EXPECT_THAT(call("comfyui_nodes"), AllOf(StartsWith("13 node classes:"), HasSubstr("KSampler")));
  EXPECT_THAT(call("comfyui_nodes", R"({"query":"LATENT empty"})"),
              AllOf(StartsWith("1 node classes match"), HasSubstr("EmptyLatentImage")));
  EXPECT_THAT(call("comfyui_nodes", R"({"query":"no such words"})"), StartsWith("0 node classes"));
}

TEST_F(ServerToolsTest, Nodes_NamesComeBeforeDescriptions) {
  const std::string found = call("comfyui_nodes", R"({"query":"image"})");
  EXPECT_LT(found.find("\nLoadImage"), found.find("\nVAEDecode"));
  EXPECT_LT(found.find("\nImageUpscaleWithModel"), found.find("\nVAEDecode"));
}

TEST_F(ServerToolsTest, ManyNodes_ComeInPages) {
  ComfyWorld::Fault fault;
  fault.kind = FaultKind::big_object_info;
  fault.bytes = 4U << 20U;
  world.server->inject(fault);
  const std::string first = call("comfyui_nodes");
  EXPECT_THAT(first, HasSubstr("page 1 of"));
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 1 + std::int64_t{kClassesOfPage});
  EXPECT_THAT(call("comfyui_nodes", R"({"page":2})"), HasSubstr("page 2 of"));
  EXPECT_THAT(call("comfyui_nodes", R"({"page":1000000})"), Not(HasSubstr("page 1000000")));
}

TEST_F(ServerToolsTest, Node_TellsInputsWithRangesAndChoices) {
  EXPECT_THAT(call("comfyui_node", R"({"class":"KSampler"})"),
              AllOf(HasSubstr("- steps: INT, from 1 to 10000, default 20"),
                    HasSubstr("- seed: INT, from 0 to 18446744073709551615"),
                    HasSubstr("- sampler_name: one of \"euler\""),
                    HasSubstr("- model: MODEL, comes over a link"), HasSubstr("0: LATENT")));
  EXPECT_THAT(error("comfyui_node", R"({"class":"Nope"})"), HasSubstr("no node class \"Nope\""));
}

TEST_F(ServerToolsTest, Models_AreListedAndSearchedInAllFolders) {
  EXPECT_THAT(call("comfyui_models"),
              AllOf(HasSubstr("checkpoints:\n"), HasSubstr("- dreamshaper_8.safetensors"),
                    HasSubstr("loras:\n")));
  EXPECT_EQ(call("comfyui_models", R"({"query":"pixel"})"), "loras:\n- pixel_art.safetensors\n");
  EXPECT_THAT(call("comfyui_models", R"({"folder":"loras"})"), Not(HasSubstr("checkpoints")));
  EXPECT_EQ(call("comfyui_models", R"({"query":"zzz"})"), "No models are found.");
  EXPECT_THAT(error("comfyui_models", R"({"folder":"../etc"})"), HasSubstr("404"));
}

TEST_F(OldServerToolsTest, ServerWithoutModelRoute_ClassesTellModels) {
  EXPECT_THAT(
      call("comfyui_models"),
      AllOf(HasSubstr("checkpoints:\n- dreamshaper_8.safetensors\n"), HasSubstr("loras:\n")));
  EXPECT_EQ(call("comfyui_models", R"({"query":"pixel"})"), "loras:\n- pixel_art.safetensors\n");
  EXPECT_THAT(call("comfyui_models", R"({"folder":"upscale_models"})"),
              HasSubstr("- 4x-UltraSharp.pth"));
  EXPECT_THAT(error("comfyui_models", R"({"folder":"vae"})"), HasSubstr("404"));
  EXPECT_THAT(error("comfyui_models", R"({"folder":"other"})"), HasSubstr("404"));
}

TEST_F(OldServerToolsTest, ProgressWithoutNode_NamesExecutingNode) {
  call("comfyui_run");
  EXPECT_THAT(lines, Contains("progress: KSampler 4/4\n"));
}

TEST_F(ServerToolsTest, Status_TellsVersionAndQueue) {
  EXPECT_THAT(call("comfyui_status"), AllOf(StartsWith("ComfyUI"), HasSubstr("running: none")));
}

TEST_F(ServerToolsTest, UnreachableServer_IsToldInWords) {
  world.server.reset();
  EXPECT_THAT(error("comfyui_status"), HasSubstr("cannot be reached"));
  EXPECT_THAT(error("comfyui_run"), HasSubstr("cannot be reached"));
}

TEST_F(ServerToolsTest, ReadingTools_AreAutomatic_ActingToolsAsk) {
  for (const tool::ToolPtr& each : tools) {
    const std::string& name = each->spec().name;
    const bool acts =
        name == "comfyui_run" || name == "comfyui_interrupt" || name == "comfyui_clear";
    EXPECT_EQ(each->default_approval(), acts ? tool::Approval::ask : tool::Approval::automatic)
        << name;
  }
}

// --- edits and checks ----------------------------------------------------------------------------

TEST_F(ServerToolsTest, Edits_AreCheckedAgainstServer) {
  EXPECT_THAT(error("workflow_node_set", R"({"node":"3","input":"step","value":30})"),
              HasSubstr("Did you mean \"steps\"?"));
  EXPECT_THAT(error("workflow_node_set", R"({"node":"3","input":"steps","value":0})"),
              HasSubstr("at least 1"));
  EXPECT_THAT(error("workflow_node_add", R"({"type":"KSamplr"})"), HasSubstr("KSampler"));
  EXPECT_THAT(call("workflow_node_set", R"({"node":"3","input":"steps","value":30})"),
              Not(HasSubstr("Not checked")));
  EXPECT_THAT(call("workflow_node_add", R"({"type":"PreviewImage"})"), HasSubstr("PreviewImage"));
}

TEST_F(ServerToolsTest, Edit_WithServerAway_IsMadeWithNotice) {
  world.server.reset();
  EXPECT_THAT(call("workflow_node_set", R"({"node":"3","input":"steps","value":30})"),
              HasSubstr("Not checked against the ComfyUI server: "));
  EXPECT_THAT(call("workflow_diff"), HasSubstr("4 -> 30"));
}

TEST_F(ServerToolsTest, SlowClasses_AreWaitedFor) {
  ComfyWorld::Fault fault;
  fault.kind = FaultKind::slow;
  fault.route = "/object_info";
  fault.delay = core::Millis(300);
  fault.times = -1;
  world.server->inject(fault);
  EXPECT_THAT(error("workflow_node_set", R"({"node":"3","input":"steps","value":0})"),
              HasSubstr("at least 1"));
  EXPECT_THAT(call("comfyui_validate"), HasSubstr("is valid"));
}

TEST_F(ServerToolsTest, Validate_NamesEachFault) {
  EXPECT_THAT(call("comfyui_validate"),
              HasSubstr("is valid: the ComfyUI server should take its 7"));
  auto prompt = sample_prompt();
  prompt["4"].get_object()["inputs"].get_object()["ckpt_name"] = "nope.safetensors";
  prompt["3"].get_object()["inputs"].get_object()["steps"] = 0;
  const std::string given = boost::json::serialize(boost::json::object{{"workflow", prompt}});
  EXPECT_THAT(call("comfyui_validate", given),
              AllOf(HasSubstr("node 3 (KSampler), input steps: value_smaller_than_min"),
                    HasSubstr("node 4 (CheckpointLoaderSimple), input ckpt_name: "
                              "value_not_in_list")));
  EXPECT_THAT(call("comfyui_validate", given), StartsWith("The ComfyUI server would refuse"));
  EXPECT_THAT(error("comfyui_validate", R"({"workflow":"no JSON"})"), HasSubstr("JSON"));
  open("");
  EXPECT_THAT(error("comfyui_validate"), HasSubstr("No workflow is open: give one"));
}

TEST_F(ServerToolsTest, Validate_OneBadOutput_OthersRun) {
  auto prompt = sample_prompt();
  prompt["10"] = json_object(R"({"class_type":"SaveImage","inputs":{"images":["8",0]}})");
  const std::string given = boost::json::serialize(boost::json::object{{"workflow", prompt}});
  EXPECT_THAT(call("comfyui_validate", given),
              AllOf(StartsWith("The ComfyUI server would run only output node 9, and leave out"),
                    HasSubstr("- node 10 (SaveImage), input filename_prefix: ")));
  EXPECT_THAT(call("comfyui_run", given), HasSubstr("\"left_out\""));
}

TEST_F(ServerToolsTest, Validate_AgreesWithServer) {
  const std::vector<std::pair<std::string, boost::json::value>> wrong = {
      {"steps", 0}, {"steps", 10'001}, {"sampler_name", "magic"}, {"cfg", "seven"},
      {"seed", -1}, {"denoise", 2.0},  {"model", {"5", 0}}};
  for (const auto& [input, value] : wrong) {
    auto prompt = sample_prompt();
    prompt["3"].get_object()["inputs"].get_object()[input] = value;
    const std::string given = boost::json::serialize(boost::json::object{{"workflow", prompt}});
    const auto answer = world.queue(prompt);
    ASSERT_TRUE(answer) << input;
    const auto* faults = std::get_if<PromptFaults>(&*answer);
    ASSERT_NE(faults, nullptr) << input;
    ASSERT_FALSE(faults->nodes.empty()) << input;
    EXPECT_THAT(call("comfyui_validate", given), HasSubstr(faults->nodes.front().type)) << input;
  }
}

// --- running -------------------------------------------------------------------------------------

TEST_F(ServerToolsTest, Run_TellsProgressAndPictures) {
  const auto result = json_object(call("comfyui_run"));
  EXPECT_EQ(result.at("status").as_string(), "success");
  const auto& image = result.at("images").as_array().at(0).as_object();
  EXPECT_EQ(image.at("url").as_string(),
            "/api/v1/comfyui-servers/" + registry->first_of_settings()->id +
                "/view?filename=ComfyUI_00001_.png&subfolder=&type=output");
  EXPECT_EQ(image.at("node").as_string(), "9");
  EXPECT_THAT(lines, Contains("progress: KSampler 4/4\n"));
  EXPECT_THAT(lines, Contains("progress: SaveImage\n"));
  EXPECT_THAT(call("comfyui_history"), HasSubstr("ComfyUI_00001_.png"));
  EXPECT_THAT(call("comfyui_history", R"({"limit":5})"), HasSubstr("ComfyUI_00001_.png"));
}

TEST_F(ServerToolsTest, ManyPictures_AreCountedBeyondLimit) {
  auto prompt = sample_prompt();
  for (int i = 0; i < 59; ++i) prompt["save" + std::to_string(i)] = prompt["9"];
  const std::string given = boost::json::serialize(boost::json::object{{"workflow", prompt}});
  const std::string result = call("comfyui_run", given);
  EXPECT_LT(result.size(), 4'000U);
  const auto facts = json_object(result);
  EXPECT_EQ(static_cast<std::int64_t>(facts.at("images").as_array().size()) +
                facts.at("more_files").as_int64(),
            60);
}

TEST_F(ServerToolsTest, EditorForm_IsConverted) {
  std::ostringstream text;
  text << std::ifstream(WORKFLOW_SAMPLE).rdbuf();
  open(text.str());
  EXPECT_THAT(error("comfyui_run"), HasSubstr("sd15.safetensors"));
  call("workflow_node_set",
       R"({"node":"4","input":"ckpt_name","value":"dreamshaper_8.safetensors"})");
  EXPECT_THAT(call("comfyui_run"), HasSubstr(R"("status":"success")"));
}

TEST_F(ServerToolsTest, ManySteps_AreThrottled) {
  const std::string given =
      boost::json::serialize(boost::json::object{{"workflow", slow_prompt(300)}});
  call("comfyui_run", given);
  EXPECT_LT(lines.size(), 60U);
  EXPECT_THAT(lines, Contains("progress: TestSlow 300/300\n"));
}

TEST_F(ServerToolsTest, RefusedWorkflow_NamesNodeInputTypeAndMessage) {
  auto prompt = sample_prompt();
  prompt["4"].get_object()["inputs"].get_object()["ckpt_name"] = "nope.safetensors";
  const std::string given = boost::json::serialize(boost::json::object{{"workflow", prompt}});
  EXPECT_THAT(error("comfyui_run", given),
              AllOf(StartsWith("The ComfyUI server refused the workflow."),
                    HasSubstr("node 4 (CheckpointLoaderSimple), input ckpt_name: "),
                    HasSubstr("value_not_in_list"), HasSubstr("nope.safetensors")));
}

TEST_F(ServerToolsTest, FailingNode_IsNamed) {
  const std::string given =
      R"({"workflow":{"1":{"class_type":"LoadImage","inputs":{"image":"example.png"}},)"
      R"("2":{"class_type":"TestFail","inputs":{"image":["1",0],"message":"no memory"}},)"
      R"("3":{"class_type":"PreviewImage","inputs":{"images":["2",0]}}}})";
  EXPECT_THAT(error("comfyui_run", given),
              StartsWith("The workflow failed in node 2 (TestFail): "));
}

TEST_F(ServerToolsTest, Cancel_WithdrawsWorkflow) {
  const std::string given =
      boost::json::serialize(boost::json::object{{"workflow", slow_prompt(1'000'000)}});
  auto answer = begin("comfyui_run", given);
  running.get_future().wait();
  world.on_home([this] { source.cancel("enough"); });
  EXPECT_TRUE(wait(std::move(answer)).is_error);
  world.wait_until_idle();
}

TEST_F(ServerToolsTest, Timeout_WithdrawsWorkflow) {
  const std::string given = boost::json::serialize(
      boost::json::object{{"workflow", slow_prompt(1'000'000)}, {"timeout_seconds", 1}});
  EXPECT_THAT(error("comfyui_run", given),
              HasSubstr("did not end within 1 s. It is being removed from the server."));
  world.wait_until_idle();
}

TEST_F(ServerToolsTest, RestartInMidRun_IsTold) {
  const std::string given =
      boost::json::serialize(boost::json::object{{"workflow", slow_prompt(1'000'000)}});
  auto answer = begin("comfyui_run", given);
  running.get_future().wait();
  world.inject(FaultKind::crash);
  EXPECT_THAT(wait(std::move(answer)).content, HasSubstr("no longer has the workflow"));
}

TEST_F(ServerToolsTest, Queue_IsInterruptedAndCleared) {
  const std::string first = world.queued_id(slow_prompt(1'000'000));
  const std::string second = world.queued_id(sample_prompt(1));
  const std::string third = world.queued_id(sample_prompt(2));
  world.wait_for([](const QueueState& queue) { return !queue.running.empty(); });
  EXPECT_EQ(call("comfyui_queue"),
            "running: 1: " + first + "\nwaiting: 2: " + second + ", " + third);
  call("comfyui_interrupt", R"({"prompt_id":")" + second + "\"}");
  EXPECT_THAT(call("comfyui_queue"), HasSubstr("waiting: 1: " + third));
  call("comfyui_clear");
  EXPECT_THAT(call("comfyui_queue"), HasSubstr("waiting: none"));
  call("comfyui_interrupt");
  world.wait_until_idle();
  EXPECT_THAT(call("comfyui_history", R"({"prompt_id":")" + first + "\"}"),
              HasSubstr(R"("status":"interrupted")"));
  EXPECT_THAT(error("comfyui_history", R"({"prompt_id":"none"})"),
              HasSubstr("no workflow with this id"));
  EXPECT_THAT(error("comfyui_interrupt", R"({"prompt_id":"none"})"),
              HasSubstr("No workflow with this prompt_id"));
}

}  // namespace
}  // namespace parley::comfyui
