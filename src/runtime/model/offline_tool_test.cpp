// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/offline_tool.h"

#include <gtest/gtest.h>

#include <string>

#include "runtime/model/offline_walk.h"
#include "runtime/model/testing/sample_tools.h"

namespace parley::model::offline {
namespace {

using testing::own_tools;
using testing::spec;

// The first call that a request leads to, "name {arguments}"; what is missing; "-": no call.
std::string first_call(std::string_view request, const std::vector<ToolSpec>& tools) {
  const Progress progress = walk(request, {}, tools);
  if (progress.next) {
    std::string out;
    for (const ToolCall& call : *progress.next)
      out += (out.empty() ? "" : "; ") + call.name + " " + call.arguments;
    return out;
  }
  for (const Outcome& outcome : progress.outcomes) {
    if (outcome.kind != Outcome::Kind::missing) continue;
    std::string out = "missing " + outcome.tool;
    for (const std::string& name : outcome.missing) out += " " + name;
    return out;
  }
  return "-";
}

struct Case {
  const char* request;
  const char* call;
};

TEST(OfflineTools, SimpleRequestsCallTheProgramsOwnTools) {
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
      {"read the first 5 lines of a.txt, limit 5", R"(read {"path":"a.txt","limit":5})"},
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
      {"post to https://example.com",
       R"(web_fetcher {"url":"https://example.com","method":"POST"})"},
      {"remember that I like tea", R"(remember {"content":"I like tea"})"},
      {"记住：我喜欢喝茶", R"(remember {"content":"我喜欢喝茶"})"},
      {"what do you remember about tea?", R"(recall {"query":"tea"})"},
      {"你还记得关于茶的事吗", R"(recall {"query":"茶的事吗"})"},
      {"add \"buy milk\" to my todo list",
       R"(todo_write {"todos":[{"content":"buy milk","id":"1"}]})"},
      {"todo: buy milk, write report",
       R"(todo_write {"todos":[{"content":"buy milk","id":"1"},{"content":"write report","id":"2"}]})"},
      {"添加待办：买牛奶、写报告",
       R"(todo_write {"todos":[{"content":"买牛奶","id":"1"},{"content":"写报告","id":"2"}]})"},
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
      {"grep -n main src/main.cpp", R"(grep {"pattern":"main","path":"src/main.cpp"})"},
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
      {"remind me to buy milk", R"(todo_write {"todos":[{"content":"buy milk","id":"1"}]})"},
      {"batch: read a.txt and read b.txt",
       R"(batch {"calls":[{"tool":"read","parameters":{"path":"a.txt"}},{"tool":"read","parameters":{"path":"b.txt"}}]})"},
  };
  for (const Case& one : cases)
    EXPECT_EQ(first_call(one.request, own_tools()), one.call) << one.request;
}

TEST(OfflineTools, ClientsToolsOfOtherNamesAreCalledJustAsWell) {
  const std::vector<ToolSpec> tools = {
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
  const std::vector<ToolSpec> other = {
      spec("file_read", "", R"("file":{"type":"string"})", R"("file")")};
  EXPECT_EQ(first_call("read the file a.txt", other), R"(file_read {"file":"a.txt"})");
  const std::vector<ToolSpec> mcp = {
      spec("filesystem_read_text_file", "", R"("path":{"type":"string"})", R"("path")")};
  EXPECT_EQ(first_call("read the file a.txt", mcp),
            R"(filesystem_read_text_file {"path":"a.txt"})");
}

TEST(OfflineTools, UnknownToolsAreFoundByTheirWords) {
  const std::vector<ToolSpec> tools = {
      spec("get_weather", "Gives the weather of a city.",
           R"("city":{"type":"string"},"unit":{"type":"string","enum":["celsius","fahrenheit"]})",
           R"("city")"),
      spec("search_movies", "Finds movies by title.",
           R"("title":{"type":"string"},"limit":{"type":"integer"})", R"("title")"),
      spec(
          "book_ticket", "Books seats of a showing.",
          R"("showing_id":{"type":"integer"},"seats":{"type":"integer"},"window":{"type":"boolean"})",
          R"("showing_id","seats")"),
      spec("set_light", "Turns a light on or off.",
           R"("room":{"type":"string"},"on":{"type":"boolean"})", R"("room","on")"),
      spec(
          "calculate", "Adds numbers.",
          R"("numbers":{"type":"array","items":{"type":"number"}},"operation":{"type":"string","enum":["sum","product"],"default":"sum"})",
          R"("numbers","operation")"),
      spec(
          "send_email", "Sends a message.",
          R"("to":{"anyOf":[{"type":"string"},{"type":"null"}]},"subject":{"type":"string"},"body":{"type":["string","null"]})",
          R"("to","subject")"),
  };
  const Case cases[] = {
      {"what is the weather in Paris?", R"(get_weather {"city":"Paris"})"},
      {"weather in Paris in celsius, city: Paris",
       R"(get_weather {"city":"Paris","unit":"celsius"})"},
      {"call get_weather with {\"city\": \"Rome\"}", R"(get_weather {"city":"Rome"})"},
      {"查询“北京”的天气", R"(get_weather {"city":"北京"})"},
      {"search movies with the title \"Up\"", R"(search_movies {"title":"Up"})"},
      {"book a ticket: showing 12, 3 seats", R"(book_ticket {"showing_id":12,"seats":3})"},
      {"book a ticket for showing 12, 3 seats, without window",
       R"(book_ticket {"showing_id":12,"seats":3,"window":false})"},
      {"book a ticket", "missing book_ticket showing_id seats"},
      {"set the light in the kitchen: on = true, room = kitchen",
       R"(set_light {"room":"kitchen","on":true})"},
      {"calculate the sum of 1, 2 and 3.5",
       R"(calculate {"numbers":[1E0,2E0,3.5E0],"operation":"sum"})"},
      {"send an email: to = \"a@b.test\", subject = \"Hi there\"",
       R"(send_email {"to":"a@b.test","subject":"Hi there"})"},
  };
  for (const Case& one : cases) EXPECT_EQ(first_call(one.request, tools), one.call) << one.request;
}

TEST(OfflineTools, NothingIsCalledWhereNothingFits) {
  for (const char* request : {"what is the meaning of life?", "write a poem about the sea",
                              "你觉得今天怎么样", "say hello", "hello", "2 + 2"}) {
    const std::string call = first_call(request, own_tools());
    EXPECT_TRUE(call == "-" || call.starts_with("missing")) << request << " -> " << call;
  }
}

TEST(OfflineTools, AToolOfAnotherTradeIsNotTakenForIt) {
  const std::vector<ToolSpec> tools = {
      spec("list_models", "Lists models.", "", ""), spec("todo_read", "", "", ""),
      spec("create_dir", "", R"("path":{"type":"string"})", R"("path")")};
  EXPECT_EQ(first_call("list the files", tools), "-");
  EXPECT_EQ(first_call("read the file a.txt", tools), "-");
  EXPECT_EQ(first_call("create a file a.txt with the content hi", tools), "-");
}

TEST(OfflineTools, BrokenSchemasDoNoHarm) {
  for (
      const char* schema :
      {"", "[]", "7", R"({"properties":7,"required":"path"})",
       R"({"properties":{"path":7},"required":[7]})",
       R"({"properties":{"path":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}},"required":["path"]})"}) {
    EXPECT_NE(first_call("read the file a.txt", {{"read", "", schema}}), "") << schema;
  }
}

}  // namespace
}  // namespace parley::model::offline
