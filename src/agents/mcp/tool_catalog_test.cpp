// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/tool_catalog.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace parley::mcp {
namespace {

using std::chrono::seconds;

core::Result<ToolArguments> read(const std::string& more,
                                 AssistantCall::Kind kind = AssistantCall::Kind::ask_question) {
  return read_arguments(
      kind, boost::json::parse(R"({"project_directory":"/p","question":"q","summary":"s")" +
                               (more.empty() ? "" : "," + more) + "}"));
}

std::string refusal(const std::string& arguments,
                    AssistantCall::Kind kind = AssistantCall::Kind::ask_question) {
  const auto result = read_arguments(kind, boost::json::parse(arguments));
  return result ? "accepted" : result.error().message;
}

TEST(ReadArguments, BadArgument_IsNamed) {
  EXPECT_EQ(refusal("null"), "required argument \"project_directory\" not found");
  EXPECT_EQ(refusal(R"({"project_directory":"/p"})"), "required argument \"question\" not found");
  EXPECT_EQ(refusal(R"({"project_directory":"/p"})", AssistantCall::Kind::work_report),
            "required argument \"summary\" not found");
  EXPECT_EQ(refusal(R"({"project_directory":7,"question":"q"})"),
            "argument \"project_directory\" must be a string");
  EXPECT_EQ(refusal(R"({"project_directory":"/p","question":" \n"})"),
            "argument \"question\" must not be empty");
}

TEST(ReadArguments, Timeout_IsNumberOrNumericText) {
  EXPECT_EQ(read("")->call.timeout, seconds(600));
  EXPECT_EQ(read(R"("timeout":30)")->call.timeout, seconds(30));
  EXPECT_EQ(read(R"("timeout":29.5)")->call.timeout, seconds(30));
  EXPECT_EQ(read(R"("timeout":" 42 ")")->call.timeout, seconds(42));
  EXPECT_EQ(read(R"("timeout":null)")->call.timeout, seconds(600));
  EXPECT_TRUE(read(R"("timeout":30)")->notes.empty());
}

TEST(ReadArguments, UnreasonableTimeout_IsClampedWithNotice) {
  for (const std::string low : {"4", "0", "-3", "\"1\"", "-1e300"}) {
    const auto result = read("\"timeout\":" + low);
    EXPECT_EQ(result->call.timeout, seconds(5)) << low;
    EXPECT_EQ(result->notes.size(), 1U) << low;
  }
  for (const std::string high : {"86401", "1e300", "\"9999999\"", "18446744073709551615"}) {
    const auto result = read("\"timeout\":" + high);
    EXPECT_EQ(result->call.timeout, seconds(86'400)) << high;
    EXPECT_EQ(result->notes.size(), 1U) << high;
  }
  const auto words = read(R"("timeout":"soon")");
  EXPECT_EQ(words->call.timeout, seconds(600));
  EXPECT_EQ(words->notes.size(), 1U);
}

TEST(ReadArguments, StructuredQuestions_AreRead) {
  const auto result = read_arguments(AssistantCall::Kind::ask_question, boost::json::parse(R"({
    "project_directory":"/p", "agent_name":"A", "reasoning_model_name":"M",
    "questions":[{"question":"Which?","header":"Pick","multiple":true,"custom":false,
                  "options":[{"label":"a","description":"first"},"b"]},{"question":"Why?"}]})"));
  ASSERT_TRUE(result.has_value());
  const AssistantCall& call = result->call;
  EXPECT_EQ(call.text, "Which?");
  EXPECT_EQ(call.agent_name, "A");
  EXPECT_EQ(call.reasoning_model_name, "M");
  ASSERT_EQ(call.questions.size(), 2U);
  EXPECT_EQ(call.questions[0].choices[0].description, "first");
  EXPECT_EQ(call.questions[0].choices[1].label, "b");
  EXPECT_TRUE(call.questions[0].multiple);
  EXPECT_FALSE(call.questions[0].custom);
  EXPECT_TRUE(call.questions[1].custom);
}

TEST(ReadArguments, StructuredQuestionsAsText_AreTaken) {
  const auto result = read(R"("questions":"[{\"question\":\"Which?\"}]")");
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->call.text, "q");
  EXPECT_EQ(result->call.questions.size(), 1U);
}

TEST(ReadArguments, BadStructuredQuestions_AreExplained) {
  for (const std::string bad :
       {R"("x")", "{}", "[3]", R"([{"header":"h"}])", R"([{"question":"q","options":[{}]}])"}) {
    const auto result = read("\"questions\":" + bad);
    ASSERT_FALSE(result.has_value()) << bad;
    EXPECT_EQ(result.error().field, "questions") << bad;
  }
}

TEST(ReadArguments, AwaitAnswer_NeedsOnlyTheId) {
  const auto read_id = [](const char* arguments) {
    return read_arguments(AssistantCall::Kind::await_answer, boost::json::parse(arguments));
  };
  EXPECT_EQ(read_id(R"({"id":"7"})")->call.text, "7");
  EXPECT_EQ(read_id("{}").error().field, "id");
}

TEST(WriteTools, AwaitAnswer_IsListedOnlyIfOffered) {
  const auto listed = [](const ToolChoice& choice) {
    std::string text;
    core::JsonWriter json(text);
    write_tools(json, choice);
    return text.find("await_answer") != std::string::npos;
  };
  EXPECT_FALSE(listed({}));
  EXPECT_TRUE(listed({true, true, true}));
}

TEST(FindTool, NamesOfAllGenerations_AreKnownUnlessOff) {
  EXPECT_EQ(find_tool("ask_question", {}), AssistantCall::Kind::ask_question);
  EXPECT_EQ(find_tool("task_finish", {}), AssistantCall::Kind::task_finish);
  EXPECT_EQ(find_tool("work_report", {}), AssistantCall::Kind::work_report);
  EXPECT_EQ(find_tool("ask", {}), std::nullopt);
  EXPECT_EQ(find_tool("ask_question", {false, true}), std::nullopt);
  EXPECT_EQ(find_tool("work_report", {true, false}), std::nullopt);
}

}  // namespace
}  // namespace parley::mcp
