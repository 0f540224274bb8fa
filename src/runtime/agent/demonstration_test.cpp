// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The built-in demonstration model in every kind of agent, with tools over a few files in memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <map>

#include "runtime/demo_model/demo_model.h"
#include "runtime/tool/file/file_tools.h"
#include "runtime/tool/schema_check.h"
#include "tests/support/agent/agent_world.h"

namespace parley::agent {
namespace {

using testing::AgentWorld;
using ::testing::ElementsAre;
using testing::FakeTool;
using ::testing::HasSubstr;
using tool::ToolResult;

std::string text_of(const boost::json::object& arguments, const char* name) {
  const boost::json::value* value = arguments.if_contains(name);
  if (value == nullptr || !value->is_string()) return {};
  return {value->get_string().data(), value->get_string().size()};
}

class Demonstration : public ::testing::Test {
 protected:
  Demonstration() {
    world.parts->model = demo_model::make_demo_model({core::Millis(0)});
    add("read", R"({"type":"object","properties":{"path":{"type":"string"}},"required":["path"]})",
        [this](const boost::json::object& arguments) {
          const auto file = files.find(text_of(arguments, "path"));
          return file == files.end() ? ToolResult::error("There is no such file.")
                                     : ToolResult::ok(file->second);
        });
    add("write_file",
        R"({"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]})",
        [this](const boost::json::object& arguments) {
          files[text_of(arguments, "path")] = text_of(arguments, "content");
          return ToolResult::ok("ok");
        });
    add("ls", R"({"type":"object","properties":{"path":{"type":"string"}}})",
        [this](const boost::json::object&) {
          std::string names;
          for (const auto& [name, content] : files) names += name + "\n";
          return ToolResult::ok(names);
        });
  }

  void add(const std::string& name, const char* schema,
           std::function<ToolResult(const boost::json::object&)> work) {
    world.parts->tools.add(std::make_shared<FakeTool>(
        name, schema,
        [this, name, work = std::move(work)](const tool::ToolContext&,
                                             const boost::json::object& arguments) {
          called.push_back(name + " " + boost::json::serialize(arguments));
          return work(arguments);
        }));
  }

  std::string run(Kind kind, const std::string& request) {
    world.run(kind, request);
    EXPECT_TRUE(world.result.has_value());
    EXPECT_EQ(world.error(), "");
    return world.outcome().reply;
  }

  AgentWorld world;
  std::map<std::string, std::string> files = {{"a.txt", "one\ntwo\n"}, {"b.txt", "two\nthree\n"}};
  std::vector<std::string> called;
};

TEST_F(Demonstration, React_UsesToolResult) {
  EXPECT_EQ(run(Kind::react, "Read the file a.txt"),
            "`read {\"path\":\"a.txt\"}`:\n\n```\none\ntwo\n```");
}

TEST_F(Demonstration, React_DoesStepsInOrder) {
  run(Kind::react, "读取 a.txt，然后把内容写入 c.txt");
  EXPECT_EQ(files["c.txt"], "one\ntwo\n");
}

TEST_F(Demonstration, Dup_UnderstandsBeforeActing) {
  EXPECT_THAT(run(Kind::dup, "Read the file a.txt"), HasSubstr("```\none\ntwo\n```"));
  EXPECT_THAT(world.messages()[2].content, HasSubstr("Goal: Read the file a.txt"));
}

TEST_F(Demonstration, Tot_ChoosesWorkingCandidate) {
  EXPECT_THAT(run(Kind::tot, "Read the file a.txt"), HasSubstr("one\ntwo"));
  EXPECT_THAT(called, ElementsAre(R"(read {"path":"a.txt"})"));
}

TEST_F(Demonstration, Tot_BacktracksFromFailure) {
  EXPECT_THAT(run(Kind::tot, "Read the file missing.txt"), HasSubstr("a.txt\nb.txt"));
  EXPECT_EQ(world.sink.all<runtime::TotBacktrack>().size(), 1U);
}

TEST_F(Demonstration, Got_WorksOnBothFilesAtOnce) {
  const std::string reply = run(Kind::got, "Read a.txt and b.txt");
  EXPECT_THAT(reply, HasSubstr("```\none\ntwo\n```"));
  EXPECT_THAT(reply, HasSubstr("```\ntwo\nthree\n```"));
  EXPECT_EQ(world.sink.all<runtime::GotPlan>().at(0).node_count, 2U);
  EXPECT_EQ(world.sink.all<runtime::GotPlan>().at(0).edge_count, 0U);
}

TEST_F(Demonstration, Got_HandsResultsOn) {
  run(Kind::got, "read a.txt, then write it to c.txt, then read c.txt");
  EXPECT_EQ(files["c.txt"], "one\ntwo");
}

TEST_F(Demonstration, Agot_GoesDeeper) {
  const std::string reply = run(Kind::agot, "Compare a.txt and b.txt");
  EXPECT_THAT(reply, HasSubstr("```\ntwo\nthree\n```"));
  EXPECT_FALSE(world.sink.all<runtime::GotExpand>().empty());
}

TEST_F(Demonstration, CallWrittenAsText_IsMadeInEveryKind) {
  for (const Kind kind : {Kind::react, Kind::dup, Kind::tot, Kind::got, Kind::agot}) {
    AgentWorld other;
    other.parts->model = world.parts->model;
    other.parts->tools = world.parts->tools;
    files.erase("c.txt");
    other.run(kind, R"(write_file {"path": "c.txt", "content": "one; then two"}; read c.txt)");
    EXPECT_EQ(files["c.txt"], "one; then two");
    EXPECT_THAT(other.outcome().reply, HasSubstr("one; then two"));
  }
}

struct Expected {
  const char* request;
  const char* tool;
};

TEST_F(Demonstration, RealFileTools_AreCalledAsInSchemas) {
  tool::WorkerPool workers(1);
  const tool::Toolbox tools = tool::builtin_file_tools({workers, "/nowhere", world.entropy});
  const Expected cases[] = {
      {"read the file a.txt", "read"},          {"列出 src 目录下的文件", "ls"},
      {"search for \"needle\" in src", "grep"}, {"write \"hello\" to b.txt", "write_file"},
      {"delete a.txt", "delete_file"},          {"plan: buy milk, write report", "todo_write"},
  };
  for (const Expected& one : cases) {
    model::ModelRequest request;
    request.messages = {model::Message::user(one.request)};
    request.tools = tools.specs();
    std::optional<core::Result<model::ModelReply>> reply;
    world.parts->model->ask(request, {}, world.scheduler, {},
                            [&](core::Result<model::ModelReply> got) { reply = std::move(got); });
    world.scheduler.run_ready();
    ASSERT_TRUE(reply && reply->has_value()) << one.request;
    const std::vector<model::ToolCall>& calls = (*reply)->message.tool_calls;
    ASSERT_EQ(calls.size(), 1U) << one.request << ": " << (*reply)->message.content;
    EXPECT_EQ(calls[0].name, one.tool) << one.request;
    const auto arguments =
        tool::read_arguments(tools.find(calls[0].name)->spec().parameters, calls[0].arguments);
    EXPECT_TRUE(arguments.has_value()) << one.request << ": " << calls[0].arguments;
  }
}

}  // namespace
}  // namespace parley::agent
