// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "demo_model/tool_choice.h"

#include <gtest/gtest.h>

#include <string>

#include "demo_model/progress.h"
#include "demo_model/sample_tools.h"

namespace parley::demo_model {
namespace {

using testing::own_tools;
using testing::spec;

// The first call that a request leads to, "name {arguments}"; what is missing; "-": no call.
std::string first_call(std::string_view request, const std::vector<model::ToolSpec>& tools) {
  model::ModelRequest conversation;
  conversation.tools = tools;
  const Progress progress = walk(request, conversation);
  std::string out;
  for (const model::ToolCall& call : progress.next) {
    out += (out.empty() ? "" : "; ") + call.name + " " + call.arguments;
  }
  for (const Outcome& outcome : progress.outcomes) {
    if (!out.empty() || outcome.kind != Outcome::Kind::missing) continue;
    out = "missing " + outcome.tool;
    for (const std::string& name : outcome.missing) out += " " + name;
  }
  return out.empty() ? "-" : out;
}

struct Case {
  const char* request;
  const char* call;
};

TEST(DemoTools, SimpleRequestsCallTheProgramsOwnTools) {
  const Case cases[] = {
      {"read the file a.txt", R"(read {"path":"a.txt"})"},
      {"Read the file a.txt.", R"(read {"path":"a.txt"})"},
      {"please read src/main.cpp", R"(read {"path":"src/main.cpp"})"},
      {"读取文件 a.txt", R"(read {"path":"a.txt"})"},
      {"读取文件a.txt的内容", R"(read {"path":"a.txt"})"},
      {"请打开 docs/报告.md", R"(read {"path":"docs/报告.md"})"},
      {"读取文件报告.md", R"(read {"path":"报告.md"})"},
      {"what is in notes.txt?", R"(read {"path":"notes.txt"})"},
      {"How many lines does README.md have?", R"(read {"path":"README.md"})"},
      {"a.txt 里有什么？", R"(read {"path":"a.txt"})"},
      {"show me \"my notes.txt\"", R"(read {"path":"my notes.txt"})"},
      {"Read the Makefile", R"(read {"path":"Makefile"})"},
      {"read a.txt and b.txt", R"(read {"path":"a.txt"}; read {"path":"b.txt"})"},
      {"help me read a.txt", R"(read {"path":"a.txt"})"},
      {"list the files", R"(ls {"path":"."})"},
      {"list the files in src", R"(ls {"path":"src"})"},
      {"ls", R"(ls {"path":"."})"},
      {"列出 src 目录下的文件", R"(ls {"path":"src"})"},
      {"列出当前目录", R"(ls {"path":"."})"},
      {"what files are here?", R"(ls {"path":"."})"},
      {"find all *.cpp files", R"(glob {"pattern":"*.cpp"})"},
      {"查找 **/*.md 文件", R"(glob {"pattern":"**/*.md"})"},
      {"search for \"needle\" in src", R"(grep {"pattern":"needle","path":"src"})"},
      {"search for needle", R"(grep {"pattern":"needle"})"},
      {"grep main in src/app.cpp", R"(grep {"pattern":"main","path":"src/app.cpp"})"},
      {"在 src/ 中搜索“超时”", R"(grep {"pattern":"超时","path":"src/"})"},
      {"搜索 needle", R"(grep {"pattern":"needle"})"},
      {"write \"hello\" to b.txt", R"(write_file {"path":"b.txt","content":"hello"})"},
      {"create a file b.txt with the content hello world",
       R"(write_file {"path":"b.txt","content":"hello world"})"},
      {"create b.txt", R"(write_file {"path":"b.txt","content":""})"},
      {"write hello world to b.txt", R"(write_file {"path":"b.txt","content":"hello world"})"},
      {"把“你好”写入 b.txt", R"(write_file {"path":"b.txt","content":"你好"})"},
      {"创建文件 b.txt，内容为 你好世界", R"(write_file {"path":"b.txt","content":"你好世界"})"},
      {"save {\"a\": 1} in data.json", R"(write_file {"path":"data.json","content":"{\"a\": 1}"})"},
      {"replace \"foo\" with \"bar\" in a.txt",
       R"(edit {"path":"a.txt","oldString":"foo","newString":"bar"})"},
      {"replace foo with bar in a.txt",
       R"(edit {"path":"a.txt","oldString":"foo","newString":"bar"})"},
      {"把 a.txt 里的“旧”改成“新”", R"(edit {"path":"a.txt","oldString":"旧","newString":"新"})"},
      {"delete a.txt", R"(delete_file {"path":"a.txt"})"},
      {"删除文件 a.txt", R"(delete_file {"path":"a.txt"})"},
      {"delete the folder old/ recursively", R"(delete_file {"path":"old/","recursive":true})"},
      {"rename a.txt to b.txt", R"(move_file {"source":"a.txt","destination":"b.txt"})"},
      {"move a.txt to archive", R"(move_file {"source":"a.txt","destination":"archive"})"},
      {"把 a.txt 移动到 docs/a.txt", R"(move_file {"source":"a.txt","destination":"docs/a.txt"})"},
      {"create the folder build", R"(create_dir {"path":"build"})"},
      {"新建目录 build", R"(create_dir {"path":"build"})"},
      {"run `ls -la`", R"(bash {"command":"ls -la"})"},
      {"run the command echo hi", R"(bash {"command":"echo hi"})"},
      {"运行命令 echo hi", R"(bash {"command":"echo hi"})"},
      {"执行 git status", R"(bash {"command":"git status"})"},
      {"$ make test", R"(bash {"command":"make test"})"},
      {"run the tests", "missing bash command"},
      {"fetch https://example.com/a?b=c.", R"(web_fetcher {"url":"https://example.com/a?b=c"})"},
      {"抓取 https://example.com/页面", R"(web_fetcher {"url":"https://example.com/"})"},
      {"remember that I like tea", R"(remember {"content":"I like tea"})"},
      {"记住：我喜欢喝茶", R"(remember {"content":"我喜欢喝茶"})"},
      {"what do you remember about tea?", R"(recall {"query":"tea"})"},
      {"你还记得关于茶的事吗", R"(recall {"query":"茶"})"},
      {"add \"buy milk\" to my todo list", R"(todo_write {"todos":[{"content":"buy milk"}]})"},
      {"todo: buy milk, write report",
       R"(todo_write {"todos":[{"content":"buy milk"},{"content":"write report"}]})"},
      {"添加待办：买牛奶、写报告",
       R"(todo_write {"todos":[{"content":"买牛奶"},{"content":"写报告"}]})"},
      {"show my todos", R"(todo_read {})"},
      {"查看待办", R"(todo_read {})"},
      {"ask me which file to read", R"(ask_question {"question":"Which file to read?"})"},
      {"ask me which colour I like: red, green or blue",
       R"(ask_question {"question":"Which colour I like?","choices":[{"label":"red"},{"label":"green"},{"label":"blue"}]})"},
      {"问我：要继续吗", R"(ask_question {"question":"要继续吗？"})"},
      {"ask the explore agent to list the files",
       R"(invoke_agent {"agents":[{"agent":"explore","task":"list the files"}]})"},
      {"让 explore 智能体去列出文件",
       R"(invoke_agent {"agents":[{"agent":"explore","task":"列出文件"}]})"},
      {"find Todo in src", R"(grep {"pattern":"Todo","path":"src"})"},
      {"搜索包含 hello 的文件", R"(grep {"pattern":"hello"})"},
      {"run the tests with make test", R"(bash {"command":"make test"})"},
      {"帮我看看 a.txt 里写了什么", R"(read {"path":"a.txt"})"},
      {"列一下文件", R"(ls {"path":"."})"},
      {"在 a.txt 中把 foo 替换为 bar",
       R"(edit {"path":"a.txt","oldString":"foo","newString":"bar"})"},
      {"create hello.txt that says Hello, world!",
       R"(write_file {"path":"hello.txt","content":"Hello, world!"})"},
      {"write a haiku about spring to poem.txt", "missing write_file content"},
      {"append \"more\" to a.txt", R"(write_file {"path":"a.txt","content":"more","append":true})"},
      {"remind me to buy milk", R"(todo_write {"todos":[{"content":"buy milk"}]})"},
      {"in a.txt, replace foo with bar",
       R"(edit {"path":"a.txt","oldString":"foo","newString":"bar"})"},
      {"delete a.txt and b.txt", R"(delete_file {"path":"a.txt"}; delete_file {"path":"b.txt"})"},
      {"plan: look at the nodes, then change the steps; queue it",
       R"(todo_write {"todos":[{"content":"look at the nodes"},{"content":"change the steps"},{"content":"queue it"}]})"},
      {"制定计划：1. 查看节点 2. 修改步数",
       R"(todo_write {"todos":[{"content":"查看节点"},{"content":"修改步数"}]})"},
      {"write a plan", "missing todo_write todos"},
      {"set steps of node 3 to 30", R"(workflow_node_set {"node":"3","input":"steps","value":30})"},
      {"set node 6's text to \"a red cat\"",
       R"(workflow_node_set {"node":"6","input":"text","value":"a red cat"})"},
      {"把节点3的steps改成30", R"(workflow_node_set {"node":"3","input":"steps","value":30})"},
      {"把 3 号节点的 cfg 设为 7.5", R"(workflow_node_set {"node":"3","input":"cfg","value":7.5})"},
      {"how many \"foo\" are in a.txt?", R"(read {"path":"a.txt"})"},
      {"give me the contents of a.txt", R"(read {"path":"a.txt"})"},
      {"add \"more\" to a.txt", R"(write_file {"path":"a.txt","content":"more","append":true})"},
      {"delete a.txt and made", "missing delete_file path"},
      {"delete made", R"(delete_file {"path":"made"})"},
      {"delete it", "missing delete_file path"},
      {"删除 a.txt 和 报告.md", R"(delete_file {"path":"a.txt"}; delete_file {"path":"报告.md"})"},
      {"what do you remember about 绿茶?", R"(recall {"query":"绿茶"})"},
      {"fetch https://x.test/a, then read b.txt", R"(web_fetcher {"url":"https://x.test/a"})"},
      {"replace \"foo\" with \"\" in a.txt",
       R"(edit {"path":"a.txt","oldString":"foo","newString":""})"},
      {"ask me \"\"", "missing ask_question question"},
      {"把它写入 b.txt", "missing write_file content"},
  };
  for (const Case& one : cases)
    EXPECT_EQ(first_call(one.request, own_tools()), one.call) << one.request;
}

TEST(DemoTools, ClientsToolsOfOtherNamesAreCalledJustAsWell) {
  const std::vector<model::ToolSpec> tools = {
      spec("readFile", "", R"("filePath":{"type":"string"})", R"("filePath")"),
      spec("file_write", "", R"("filename":{"type":"string"},"text":{"type":"string"})",
           R"("filename","text")"),
      spec("list_directory", "", R"("dir":{"type":"string"})", R"("dir")"),
      spec("run_command", "", R"("cmd":{"type":"string"})", R"("cmd")"),
      spec("http_get", "", R"("uri":{"type":"string"})", R"("uri")"),
      spec("search_files", "", R"("query":{"type":"string"},"root":{"type":"string"})",
           R"("query")"),
      spec("remove_path", "", R"("paths":{"type":"array","items":{"type":"string"}})",
           R"("paths")"),
  };
  const Case cases[] = {
      {"read the file a.txt", R"(readFile {"filePath":"a.txt"})"},
      {"读取文件 a.txt", R"(readFile {"filePath":"a.txt"})"},
      {"write \"hi\" to a.txt", R"(file_write {"filename":"a.txt","text":"hi"})"},
      {"list the files in src/", R"(list_directory {"dir":"src/"})"},
      {"list the files", R"(list_directory {"dir":"."})"},
      {"run `make`", R"(run_command {"cmd":"make"})"},
      {"fetch http://x.test/", R"(http_get {"uri":"http://x.test/"})"},
      {"search for \"x y\" in docs", R"(search_files {"query":"x y","root":"docs"})"},
      {"delete a.txt and b.txt", R"(remove_path {"paths":["a.txt","b.txt"]})"},
  };
  for (const Case& one : cases) EXPECT_EQ(first_call(one.request, tools), one.call) << one.request;
  const std::vector<model::ToolSpec> other = {
      spec("file_read", "", R"("file":{"type":"string"})", R"("file")")};
  EXPECT_EQ(first_call("read the file a.txt", other), R"(file_read {"file":"a.txt"})");
  const std::vector<model::ToolSpec> mcp = {
      spec("filesystem_read_text_file", "", R"("path":{"type":"string"})", R"("path")")};
  EXPECT_EQ(first_call("read the file a.txt", mcp),
            R"(filesystem_read_text_file {"path":"a.txt"})");
}

TEST(DemoTools, CallsThatAreWrittenOutAreMadeAsTheyAre) {
  std::vector<model::ToolSpec> tools = own_tools();
  tools.push_back(spec("get_weather", "Gives the weather of a city.", R"("city":{"type":"string"})",
                       R"("city")"));
  const Case cases[] = {
      {R"(get_weather {"city": "Paris"})", R"(get_weather {"city": "Paris"})"},
      {R"(call get_weather {"city": "Rome", "days": [1, 2]})",
       R"(get_weather {"city": "Rome", "days": [1, 2]})"},
      {R"(调用 get_weather {"city": "北京；上海"}。)", R"(get_weather {"city": "北京；上海"})"},
      {R"(read {"path": "a.txt", "offset": 5})", R"(read {"path": "a.txt", "offset": 5})"},
      {"todo_read {}", "todo_read {}"},
      {"get_weather {city: Paris}", "missing get_weather {json}"},
      {R"(get_time {"city": "Paris"})", "-"},
      {R"(save {"a": 1} in data.json)",
       R"(write_file {"path":"data.json","content":"{\"a\": 1}"})"},
  };
  for (const Case& one : cases) EXPECT_EQ(first_call(one.request, tools), one.call) << one.request;
}

TEST(DemoTools, WhatAToolCannotTakeIsNamed) {
  const std::vector<model::ToolSpec> tools = {
      spec("save_file", "", R"("path":{"type":"string"},"text":{"type":"string"})", R"("path")"),
      spec("grep", "", R"("pattern":{"type":"string"})", R"("pattern")"),
      spec("readFile", "", R"("path":{"type":"string"},"encoding":{"type":"string"})",
           R"("path","encoding")"),
  };
  EXPECT_EQ(first_call("append \"x\" to a.txt", tools), "missing save_file append");
  EXPECT_EQ(first_call("search for x in src", tools), "missing grep folder");
  EXPECT_EQ(first_call("read a.txt", tools), "missing readFile encoding");
}

TEST(DemoTools, ListsAreGivenInTheFormThatTheToolTakes) {
  const std::vector<model::ToolSpec> tools = {
      spec("todoWrite", "", R"("todosJson":{"type":"string"})", R"("todosJson")"),
      spec("askUser", "",
           R"("question":{"type":"string"},"options":{"type":"array","items":{"type":"string"}})",
           R"("question")"),
      spec("call_agent", "", R"("name":{"type":"string"},"prompt":{"type":"string"})",
           R"("name","prompt")"),
      spec("setNodeInput", "",
           R"("nodeId":{"type":"integer"},"name":{"type":"string"},"value":{"type":"string"})",
           R"("nodeId","name","value")"),
  };
  const Case cases[] = {
      {"todo: buy milk", R"(todoWrite {"todosJson":"[{\"content\":\"buy milk\"}]"})"},
      {"ask me which one: a or b", R"(askUser {"question":"Which one?","options":["a","b"]})"},
      {"ask the explore agent to look", R"(call_agent {"name":"explore","prompt":"look"})"},
      {"set steps of node 3 to 30", R"(setNodeInput {"nodeId":3,"name":"steps","value":"30"})"},
  };
  for (const Case& one : cases) EXPECT_EQ(first_call(one.request, tools), one.call) << one.request;
}

TEST(DemoTools, NothingIsCalledWhereNothingFits) {
  for (const char* request :
       {"what is the meaning of life?", "write a poem about the sea", "你觉得今天怎么样",
        "say hello", "hello", "2 + 2", "what does \"foo\" mean?", "don't delete a.txt"}) {
    const std::string call = first_call(request, own_tools());
    EXPECT_TRUE(call == "-" || call.starts_with("missing")) << request << " -> " << call;
  }
}

TEST(DemoTools, AToolOfAnotherTradeIsNotTakenForIt) {
  const std::vector<model::ToolSpec> tools = {
      spec("list_models", "Lists models.", "", ""), spec("todo_read", "", "", ""),
      spec("create_dir", "", R"("path":{"type":"string"})", R"("path")")};
  EXPECT_EQ(first_call("list the files", tools), "-");
  EXPECT_EQ(first_call("read the file a.txt", tools), "-");
  EXPECT_EQ(first_call("create a file a.txt with the content hi", tools), "-");
}

TEST(DemoTools, BrokenSchemasDoNoHarm) {
  for (
      const char* schema :
      {"", "[]", "7", R"({"properties":7,"required":"path"})",
       R"({"properties":{"path":7},"required":[7]})",
       R"({"properties":{"path":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}},"required":["path"]})"}) {
    EXPECT_NE(first_call("read the file a.txt", {{"read", "", schema}}), "") << schema;
  }
}

}  // namespace
}  // namespace parley::demo_model
