// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/file_tools.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/tool/file_tool_world.h"

namespace parley::tool {
namespace {

// A call of each tool that would succeed; calls of changing tools change something.
const std::map<std::string, std::string>& calls() {
  static const std::map<std::string, std::string> all = {
      {"read", R"({"path":"a.txt"})"},
      {"ls", "{}"},
      {"glob", R"({"pattern":"*"})"},
      {"grep", R"({"pattern":"a"})"},
      {"write_file", R"({"path":"a.txt","content":"new"})"},
      {"edit", R"({"path":"a.txt","oldString":"a","newString":"b"})"},
      {"multiedit", R"({"path":"a.txt","edits":[{"oldString":"a","newString":"b"}]})"},
      {"apply_patch", R"({"patchText":"*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"})"},
      {"move_file", R"({"source":"a.txt","destination":"b.txt"})"},
      {"delete_file", R"({"path":"a.txt"})"},
      {"create_dir", R"({"path":"new"})"},
      {"todo_write", R"({"todos":[{"content":"x"}]})"},
      {"todo_read", "{}"},
      {"remember", R"({"content":"x"})"},
      {"recall", R"({"query":"x"})"},
      {"search_memories", R"({"query":"x"})"},
      {"list_memories", "{}"},
      {"forget", R"({"id":1})"},
  };
  return all;
}

TEST(FileTools, Tools_HaveContractNames_AskBeforeChanges) {
  FileToolWorld world;
  EXPECT_EQ(world.tools.all().size(), calls().size());
  for (const ToolPtr& tool : world.tools.all()) {
    const std::string& name = tool->spec().name;
    EXPECT_TRUE(calls().contains(name)) << name;
    const bool changes = name == "write_file" || name == "edit" || name == "multiedit" ||
                         name == "apply_patch" || name == "move_file" || name == "delete_file" ||
                         name == "create_dir" || name == "forget";
    EXPECT_EQ(tool->default_approval(), changes ? Approval::ask : Approval::automatic) << name;
    EXPECT_EQ(tool->source(), "builtin");
  }
}

TEST(FileTools, Schemas_NameAndDescribeEachMember) {
  FileToolWorld world;
  for (const ToolPtr& tool : world.tools.all()) {
    const std::string& name = tool->spec().name;
    EXPECT_GT(tool->spec().description.size(), 30U) << name;
    boost::json::error_code error;
    const boost::json::value schema = boost::json::parse(tool->spec().parameters, error);
    ASSERT_FALSE(error) << name << ": " << tool->spec().parameters;
    ASSERT_EQ(schema.at("type").as_string(), "object") << name;
    for (const auto& property : schema.at("properties").as_object()) {
      EXPECT_TRUE(property.value().as_object().contains("description")) << name;
    }
    if (const auto* required = schema.as_object().if_contains("required")) {
      for (const auto& member : required->as_array()) {
        EXPECT_TRUE(schema.at("properties").as_object().contains(member.as_string())) << name;
      }
    }
  }
}

TEST(FileTools, Tools_WorkConcurrently) {
  FileToolWorld world;
  for (const auto& [name, arguments] : calls()) {
    world.folder.write("a.txt", "a\n");
    world.call("remember", R"({"content":"x"})");
    const ToolResult result = world.call(name, arguments);
    EXPECT_FALSE(result.is_error) << name << ": " << result.content;
  }
}

TEST(FileTools, CancelledTool_DoesNotRun) {
  for (const auto& [name, arguments] : calls()) {
    FileToolWorld world(1);
    world.folder.write("a.txt", "a\n");
    std::optional<ToolResult> result;
    {
      const BusyPool busy(world.pool, 1);
      world.begin(name, arguments, result);
      world.scheduler.run_ready();
      world.cancel.cancel("enough");
      world.scheduler.run_ready();
      ASSERT_TRUE(result.has_value()) << name;
    }
    EXPECT_TRUE(result->is_error) << name;
    EXPECT_EQ(result->content, "The call was cancelled.") << name;
    std::promise<void> after;
    world.pool.post([&after] { after.set_value(); });
    after.get_future().wait();
    EXPECT_EQ(world.folder.read("a.txt"), "a\n") << name;
    EXPECT_EQ(world.folder.entries(), 1U) << name;
    EXPECT_EQ(world.data.entries(), 0U) << name;
  }
}

TEST(FileTools, StoppedTool_EndsSoon) {
  // Each tool runs with a flag that is already stopped, as if cancelled in the middle.
  FileToolWorld world;
  for (int folder = 0; folder < 20; ++folder) {
    for (int file = 0; file < 50; ++file) {
      world.folder.write("d" + std::to_string(folder) + "/f" + std::to_string(file), "text\n");
    }
  }
  const auto cancelled_in_the_midst = [&world](const std::string& name,
                                               const std::string& arguments) {
    std::optional<ToolResult> result;
    world.cancel = core::CancelSource();
    world.begin(name, arguments, result);
    world.scheduler.run_ready();
    world.cancel.cancel("enough");
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_TRUE(run_until(world.scheduler, [&result] { return result.has_value(); })) << name;
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(60)) << name;
    return result.value_or(ToolResult::ok(""));
  };
  for (int i = 0; i < 20; ++i) {
    cancelled_in_the_midst("grep", R"({"pattern":"nothing like it"})");
    cancelled_in_the_midst("glob", R"({"pattern":"nothing"})");
  }
  const ToolResult deleted =
      cancelled_in_the_midst("delete_file", R"({"path":"d1","recursive":true})");
  // Either the deletion finished before the cancellation, or the result says how far it went.
  EXPECT_TRUE(!deleted.is_error || deleted.content.find("cancelled") != std::string::npos)
      << deleted.content;
}

TEST(FileTools, BadMemoryFile_StopsOnlyMemoryTools) {
  FileToolWorld world;
  world.data.write("memory.db", std::string(8192, 'x'));
  EXPECT_NE(world.refused("remember", R"({"content":"x"})").find("The file memory.db failed"),
            std::string::npos);
  EXPECT_EQ(world.ok("ls", "{}"), "(The folder is empty.)");
}

}  // namespace
}  // namespace parley::tool
