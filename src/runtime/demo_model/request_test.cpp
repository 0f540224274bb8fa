// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/demo_model/request.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/support/demo_model/sample_tools.h"

namespace parley::demo_model {
namespace {

using testing::own_tools;
using testing::spec;

// The calls of the first step; "-" if there are none.
std::string first_call(const std::string& request, const std::vector<model::ToolSpec>& tools) {
  std::string out;
  for (const model::ToolCall& call : calls_for(read_request(request).steps.at(0), tools, "IT")) {
    out += (out.empty() ? "" : "; ") + call.name + " " + call.arguments;
  }
  return out.empty() ? "-" : out;
}

struct Case {
  const char* request;
  const char* call;
};

// The requests in documents, examples, the console and tests of other folders.
TEST(DemoRequest, KnownRequests_CallTheirTools) {
  const Case cases[] = {
      // README.md, docs/runs.md, `parley run --help`, the empty page of runs.
      {"Read the file notes.txt, then list the files here.", R"(read {"path":"notes.txt"})"},
      {"List the files here, then read README.md.", "ls {}"},
      {"List the files here.", "ls {}"},
      {"list the files here and say what they are", "ls {}"},
      {"列出这里的文件", "ls {}"},
      {"列出文件", "ls {}"},
      // Proposals of the chat page.
      {"read the file README.md and tell me what it says", R"(read {"path":"README.md"})"},
      {"读取文件 README.md，告诉我内容", R"(read {"path":"README.md"})"},
      {"write \"hello\" to b.txt", R"(write_file {"path":"b.txt","content":"hello"})"},
      {"创建文件 b.txt，内容为 你好", R"(write_file {"path":"b.txt","content":"你好"})"},
      {"set steps of node 3 to 30", R"(workflow_node_set {"node":"3","input":"steps","value":30})"},
      {"把节点3的steps改成30", R"(workflow_node_set {"node":"3","input":"steps","value":30})"},
      // scripts/demo-chat.
      {"list the models", "comfyui_models {}"},
      {"有哪些模型", "comfyui_models {}"},
      {"which nodes are there?", "comfyui_nodes {}"},
      {"有哪些节点", "comfyui_nodes {}"},
      {"validate the workflow", "comfyui_validate {}"},
      {"检查工作流", "comfyui_validate {}"},
      {"queue the workflow", "comfyui_run {}"},
      {"运行工作流", "comfyui_run {}"},
      {"interrupt the workflow", "comfyui_interrupt {}"},
      {"中断工作流", "comfyui_interrupt {}"},
      // tests/: app, conformance, e2e, comfyui.
      {"write \"hello\" to the file b.txt", R"(write_file {"path":"b.txt","content":"hello"})"},
      {"run the command sleep 60 && touch late.txt",
       R"(bash {"command":"sleep 60 && touch late.txt"})"},
      {"run the command \"echo 部署\"", R"(bash {"command":"echo 部署"})"},
      {"run the command echo hi", R"(bash {"command":"echo hi"})"},
      {"read a.txt and b.txt", R"(read {"path":"a.txt"}; read {"path":"b.txt"})"},
      {"delete x-1.txt and y-1.txt",
       R"(delete_file {"path":"x-1.txt"}; delete_file {"path":"y-1.txt"})"},
      {"plan: look at the nodes, change the steps",
       R"(todo_write {"todos":[{"content":"look at the nodes"},{"content":"change the steps"}]})"},
      {"/view what is it?", "-"},
      {"Hello", "-"},
      // tests/e2e/pictures.js.
      {"Compare notes.txt and README.md, then list the files in reports",
       R"(read {"path":"notes.txt"}; read {"path":"README.md"})"},
      {"list the files in reports", R"(ls {"path":"reports"})"},
      {"write the file reports/compare.md with \"done\"",
       R"(write_file {"path":"reports/compare.md","content":"done"})"},
      {"Search for \"till\" in the files, then read notes.txt", R"(grep {"pattern":"till"})"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(first_call(one.request, own_tools()), one.call) << one.request;
  }
}

TEST(DemoRequest, Table_ReadsBothLanguages) {
  const Case cases[] = {
      {"ask me which colour: red, green or blue",
       R"(ask_question {"question":"which colour","choices":[{"label":"red"},{"label":"green"},{"label":"blue"}]})"},
      {"问我：要继续吗？", R"(ask_question {"question":"要继续吗？"})"},
      {"问用户喜欢哪种颜色：红、绿或蓝",
       R"(ask_question {"question":"喜欢哪种颜色","choices":[{"label":"红"},{"label":"绿"},{"label":"蓝"}]})"},
      {"制定一个计划：查看节点、修改步数",
       R"(todo_write {"todos":[{"content":"查看节点"},{"content":"修改步数"}]})"},
      {"把 节点 6 的 text 设为 “一只猫”",
       R"(workflow_node_set {"node":"6","input":"text","value":"一只猫"})"},
      {"set cfg of node 3 to 7.5", R"(workflow_node_set {"node":"3","input":"cfg","value":7.5})"},
      {"运行命令 echo hi", R"(bash {"command":"echo hi"})"},
      {"把“你好”写入 b.txt", R"(write_file {"path":"b.txt","content":"你好"})"},
      {"把内容写入 b.txt", R"(write_file {"path":"b.txt","content":"IT"})"},
      {"write it to b.txt", R"(write_file {"path":"b.txt","content":"IT"})"},
      {"删除文件 a.txt 和 报告.md",
       R"(delete_file {"path":"a.txt"}; delete_file {"path":"报告.md"})"},
      {"delete the folder made", R"(delete_file {"path":"made"})"},
      {"在 src 中搜索 超时", R"(grep {"pattern":"超时","path":"src"})"},
      {"search for \"a b\" in src/", R"(grep {"pattern":"a b","path":"src/"})"},
      {"列出 src 目录下的文件", R"(ls {"path":"src"})"},
      {"Can you please read \"my notes.txt\"?", R"(read {"path":"my notes.txt"})"},
      {"请帮我读取文件报告.md的内容", R"(read {"path":"报告.md"})"},
      {"读一下 a.txt 文件并告诉我它写了什么", R"(read {"path":"a.txt"})"},
      {"读取a.txt和docs/b.txt，告诉我里面写了什么",
       R"(read {"path":"a.txt"}; read {"path":"docs/b.txt"})"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(first_call(one.request, own_tools()), one.call) << one.request;
  }
}

TEST(DemoRequest, UnknownRequest_CallsNothing) {
  for (const char* request :
       {"why is the sky blue?", "don't delete a.txt", "read a.txt and delete b.txt",
        "write a poem to a.txt", "你觉得今天怎么样", "say hello", "tell me what it says",
        "run the tests", "get_weather {\"city\": \"Paris\"}"}) {
    EXPECT_EQ(first_call(request, own_tools()), "-") << request;
  }
}

TEST(DemoRequest, ClientTools_AreCalledByOwnNames) {
  const std::vector<model::ToolSpec> tools = {
      spec("readFile", R"("filePath":{"type":"string"})", R"("filePath")"),
      spec("fs_list_directory", R"("dir":{"type":"string"})", R"("dir")"),
      spec("delete-files", R"("paths":{"type":"array","items":{"type":"string"}})", R"("paths")"),
      spec("setNodeInput",
           R"("nodeId":{"type":"integer"},"name":{"type":"string"},"value":{"type":"string"})",
           R"("nodeId","name","value")"),
      spec("save_file", R"("path":{"type":"string"},"text":{"type":"string"},"mode":{})",
           R"("path","text","mode")"),
      spec("read", R"("path":{"type":"string"})", R"("path")"),
  };
  const Case cases[] = {
      {"read the file a.txt and tell me what it says", R"(readFile {"filePath":"a.txt"})"},
      {"读取文件 a.txt，告诉我内容", R"(readFile {"filePath":"a.txt"})"},
      {"list the files", R"(fs_list_directory {"dir":"."})"},
      {"delete a.txt and b.txt", R"(delete-files {"paths":["a.txt","b.txt"]})"},
      {"set steps of node 3 to 30", R"(setNodeInput {"nodeId":3,"name":"steps","value":"30"})"},
      {"write \"x\" to a.txt", "-"},  // no mode given
      {"list the models", "-"},
      {"read {\"path\": \"a.txt\", \"limit\": 1}", R"(read {"path": "a.txt", "limit": 1})"},
      {"调用 readFile {\"filePath\": \"a；b\"}。", R"(readFile {"filePath": "a；b"})"},
      {"call readFile {broken}", "readFile {broken}"},
  };
  for (const Case& one : cases) EXPECT_EQ(first_call(one.request, tools), one.call) << one.request;
}

TEST(DemoRequest, UnreadableSchemas_DoNoHarm) {
  for (const char* schema : {"", "[]", R"({"properties":7,"required":"path"})",
                             R"({"properties":{"path":7},"required":[7]})"}) {
    first_call("read the file a.txt", {{"read", "", schema}});
  }
  EXPECT_EQ(first_call("read the file a.txt", {{"read", "", "7"}}), "-");
}

TEST(DemoRequest, Steps_AreDividedOutsideQuotes) {
  struct Division {
    const char* text;
    std::vector<std::string> steps;
  };
  const Division cases[] = {
      {"read a.txt, then write it to b.txt and then list the files",
       {"read a.txt", "write it to b.txt", "list the files"}},
      {"读取 a.txt，然后把内容写入 b.txt。最后删除 a.txt。",
       {"读取 a.txt", "把内容写入 b.txt", "删除 a.txt"}},
      {"read a.txt; list src", {"read a.txt", "list src"}},
      {"write \"first; then second\" to a.txt", {"write \"first; then second\" to a.txt"}},
      {"把“先读取，然后删除”写入 a.txt", {"把“先读取，然后删除”写入 a.txt"}},
      {R"(bash {"command": "a; \"b\"; c"} then ls {})",
       {R"(bash {"command": "a; \"b\"; c"})", "ls {}"}},
      {"say git add .", {"say git add ."}},
      {" ; then", {}},
  };
  for (const Division& one : cases) {
    std::vector<std::string> steps;
    for (const Step& step : read_request(one.text).steps) steps.push_back(step.text);
    EXPECT_EQ(steps, one.steps) << one.text;
  }
  std::string many;
  for (int i = 0; i < 20; ++i) many += "read a.txt; ";
  EXPECT_EQ(read_request(many).steps.size(), kMaxSteps);
}

TEST(DemoRequest, TextBelowBlankLine_IsNoStep) {
  const std::string below = "\n\nRules of this session:\nBe kind; then rest";
  const Request called = read_request("\nsay hi; write_file {\"path\": \"a\"}" + below);
  ASSERT_EQ(called.steps.size(), 2U);
  EXPECT_EQ(called.steps[1].tool, "write_file");
  EXPECT_EQ(called.steps[1].arguments, R"({"path": "a"})");
  const Request said = read_request("say hi" + below);
  ASSERT_EQ(said.steps.size(), 1U);
  EXPECT_EQ(said.steps[0].slots.at("text").front(), "hi" + below);
  EXPECT_EQ(read_request("say \"a\n\nb\" then list the files").steps.size(), 2U);
}

TEST(DemoRequest, Language_IsDetectedOutsideQuotes) {
  EXPECT_EQ(read_request("读取文件 a.txt").language, Language::chinese);
  EXPECT_EQ(read_request("write “你好” to a.txt").language, Language::english);
}

}  // namespace
}  // namespace parley::demo_model
