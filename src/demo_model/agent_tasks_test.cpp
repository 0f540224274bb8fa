// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "demo_model/agent_tasks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "demo_model/sample_tools.h"

namespace parley::demo_model {
namespace {

namespace json = boost::json;
using model::Message;
using model::ModelRequest;
using ::testing::HasSubstr;
using testing::own_tools;

ModelRequest task(const std::string& name, const std::string& prompt, const std::string& request) {
  ModelRequest out;
  out.messages = {Message::system("You are an agent.\n\n[parley:task " + name + "]\n" + prompt),
                  Message::user(request)};
  out.tools = own_tools();
  return out;
}

std::string text_of(const ModelRequest& request) {
  const std::optional<Answer> answer = answer_task(request);
  EXPECT_TRUE(answer.has_value());
  return answer ? answer->text : std::string();
}

json::value json_of(const ModelRequest& request) { return json::parse(text_of(request)); }

TEST(DemoAgentTasks, AreKnownByTheirMarkInTheLastSystemMessage) {
  EXPECT_TRUE(answer_task(task("got_plan", "", "x")).has_value());
  ModelRequest none;
  none.messages = {Message::system("Say [parley:task x] aloud"),
                   Message::user("[parley:task got_plan]")};
  EXPECT_FALSE(answer_task(none).has_value());
  EXPECT_FALSE(answer_task(task("unheard_of", "", "x")).has_value());
}

TEST(DemoAgentTasks, ExpandProposesTheStepAnotherWayAndAnAnswer) {
  const json::value root = json_of(task("tot_expand", "Propose 3.", "read the file src/a.txt"));
  const json::array& candidates = root.at("candidates").as_array();
  ASSERT_EQ(candidates.size(), 3U);
  const json::value& call = candidates[0].at("tool_calls").at(0);
  EXPECT_EQ(call.at("name").as_string(), "read");
  EXPECT_EQ(call.at("arguments").at("path").as_string(), "src/a.txt");
  EXPECT_EQ(candidates[1].at("tool_calls").at(0).at("name").as_string(), "ls");
  EXPECT_EQ(candidates[1].at("tool_calls").at(0).at("arguments").at("path").as_string(), "src");
  EXPECT_TRUE(candidates[2].at("tool_calls").as_array().empty());
}

TEST(DemoAgentTasks, ExpandAnswersOnceAllIsDone) {
  ModelRequest request = task("tot_expand", "Propose 3.", "read a.txt");
  Message call = Message::assistant("Do it");
  call.tool_calls = {{"c1", "read", R"({"path":"a.txt"})"}};
  request.messages.push_back(call);
  request.messages.push_back(Message::tool("c1", "Tool read result:\nsecret"));
  const json::value root = json_of(request);
  EXPECT_TRUE(root.at("candidates").at(0).at("tool_calls").as_array().empty());
  EXPECT_THAT(std::string(root.at("candidates").at(0).at("thought").as_string()),
              HasSubstr("secret"));
}

TEST(DemoAgentTasks, ExpandDoesNotProposeAgainWhatWasTried) {
  ModelRequest request =
      task("tot_expand",
           "Propose 3.\nThese were tried:\n- Do it directly: read a.txt (tool failure: gone)",
           "read a.txt");
  Message call = Message::assistant("First look what there is in ..");
  call.tool_calls = {{"c1", "ls", R"({"path":"."})"}};
  request.messages.push_back(call);
  request.messages.push_back(Message::tool("c1", "Tool ls result:\nb.txt"));
  const json::value root = json_of(request);
  ASSERT_EQ(root.at("candidates").as_array().size(), 1U);
  EXPECT_TRUE(root.at("candidates").at(0).at("tool_calls").as_array().empty());
  EXPECT_THAT(std::string(root.at("candidates").at(0).at("thought").as_string()),
              HasSubstr("b.txt"));
}

TEST(DemoAgentTasks, ExpandOnlyAnswersAtTheLastLevel) {
  const json::value root =
      json_of(task("tot_expand", "This is the last level of the tree.", "read a.txt"));
  for (const json::value& candidate : root.at("candidates").as_array()) {
    EXPECT_TRUE(candidate.at("tool_calls").as_array().empty());
    EXPECT_FALSE(candidate.at("thought").as_string().empty());
  }
}

TEST(DemoAgentTasks, EvaluateGivesEachCandidateAScore) {
  const json::value root =
      json_of(task("tot_evaluate", "Judge.\nCandidate 1: a\nCandidate 2: b", "x"));
  const json::array& scores = root.at("scores").as_array();
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_GT(scores[0].as_double(), scores[1].as_double());
  EXPECT_LE(scores[0].as_double(), 1.0);
}

TEST(DemoAgentTasks, PlanMakesStepsThatLookIndependentOfEachOther) {
  const json::value root = json_of(task("got_plan", "", "compare a.txt and b.txt"));
  const json::array& nodes = root.at("nodes").as_array();
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].at("description").as_string(), "Read the file a.txt");
  EXPECT_EQ(json::serialize(root.at("edges")), R"([["task_1","task_3"],["task_2","task_3"]])");
}

TEST(DemoAgentTasks, PlanChainsWhatChangesSomething) {
  const json::value root =
      json_of(task("got_plan", "", "读取 a.txt，然后把内容写入 b.txt，然后读取它"));
  ASSERT_EQ(root.at("nodes").as_array().size(), 3U);
  EXPECT_EQ(root.at("nodes").at(2).at("description").as_string(), "读取它 (b.txt)");
  EXPECT_EQ(root.at("nodes").at(1).at("description").as_string(), "把内容写入 b.txt");
  EXPECT_EQ(json::serialize(root.at("edges")), R"([["task_1","task_2"],["task_2","task_3"]])");
}

TEST(DemoAgentTasks, PlanKeepsCallsThatAreWrittenOutWholeAndInOrder) {
  const json::value root =
      json_of(task("got_plan", "", R"(read {"path": "a.txt", "limit": 1}; bash {}; read a.txt)"));
  ASSERT_EQ(root.at("nodes").as_array().size(), 3U);
  EXPECT_EQ(root.at("nodes").at(0).at("description").as_string(),
            R"(read {"path": "a.txt", "limit": 1})");
  EXPECT_EQ(json::serialize(root.at("edges")), R"([["task_1","task_2"],["task_2","task_3"]])");
}

TEST(DemoAgentTasks, PlanOfASingleThingIsASingleTask) {
  EXPECT_EQ(json_of(task("got_plan", "", "read a.txt")).at("nodes").as_array().size(), 1U);
  EXPECT_EQ(json_of(task("got_plan", "", "what is life?")).at("nodes").as_array().size(), 1U);
}

TEST(DemoAgentTasks, ATaskOfAPlanCallsItsTool) {
  const std::optional<Answer> answer = answer_task(
      task("got_task", "", "Task: compare a.txt and b.txt\n\nSub-task: Read the file b.txt"));
  ASSERT_TRUE(answer.has_value());
  ASSERT_EQ(answer->calls.size(), 1U);
  EXPECT_EQ(answer->calls[0].arguments, R"({"path":"b.txt"})");
}

TEST(DemoAgentTasks, ATaskUsesTheResultsOfThoseBefore) {
  const std::optional<Answer> answer =
      answer_task(task("got_task", "",
                       "Task: all\n\nResult of 'task_1':\n`a.txt` has 1 "
                       "line:\n\n```\nhello\n```\n\nSub-task: write it to b.txt"));
  ASSERT_EQ(answer->calls.size(), 1U);
  EXPECT_EQ(answer->calls[0].arguments, R"({"path":"b.txt","content":"hello"})");
}

TEST(DemoAgentTasks, ItsOwnTasksNeedNoTool) {
  const std::string results =
      "Task: all\n\nResult of 'a':\n```\none\ntwo\n```\n\nResult of 'b':\n```\ntwo\nthree "
      "four\n```\n\nSub-task: ";
  EXPECT_THAT(text_of(task("got_task", "", results + "Compare the earlier results.")),
              HasSubstr("lines in both: 1"));
  EXPECT_THAT(text_of(task("got_task", "", results + "Put the earlier results together.")),
              HasSubstr("three four"));
  EXPECT_THAT(text_of(task("got_task", "", results + "Count the lines of the earlier results.")),
              HasSubstr("Lines: 2"));
  EXPECT_THAT(text_of(task("got_task", "", results + "摘出前面结果的开头。")), HasSubstr("> one"));
}

TEST(DemoAgentTasks, ComplexityIsOneWord) {
  EXPECT_EQ(
      text_of(task("got_complexity", "Judge.\nTask: Compare the earlier results.\nResult: x", "x")),
      "complex");
  EXPECT_EQ(text_of(task("got_complexity", "Judge.\nTask: Read the file a.txt\nResult: x", "x")),
            "simple");
}

TEST(DemoAgentTasks, DecomposeGivesTasksThatItCanDo) {
  const json::value root =
      json_of(task("got_decompose", "Divide.\nTask: 分析 a.txt\nResult: x", "x"));
  ASSERT_EQ(root.at("nodes").as_array().size(), 2U);
  EXPECT_EQ(root.at("nodes").at(0).at("description").as_string(), "统计前面结果的行数。");
}

TEST(DemoAgentTasks, UnderstandNamesGoalConstraintsAndContext) {
  const json::value root =
      json_of(task("dup_understand", "", "read a.txt. Do not change anything."));
  EXPECT_EQ(root.at("core_goal").as_string(), "read a.txt. Do not change anything.");
  EXPECT_EQ(root.at("key_constraints").at(0).as_string(), "Do not change anything.");
  EXPECT_THAT(std::string(root.at("relevant_context").as_string()), HasSubstr("a.txt"));
}

TEST(DemoAgentTasks, SummaryKeepsRequestsAndCalls) {
  const std::string text = text_of(
      task("summary", "", "Person: read a.txt\nAssistant: fine\nCall: read {}\nResult: long"));
  EXPECT_THAT(text, HasSubstr("Person: read a.txt"));
  EXPECT_THAT(text, HasSubstr("Call: read {}"));
}

TEST(DemoAgentTasks, MergedResultsAreTheAnswer) {
  EXPECT_EQ(text_of(task("summary", "",
                         "The request: x\n\nResult of 'a':\nfirst\n\nResult of 'b':\nsecond")),
            "first\n\nsecond");
}

}  // namespace
}  // namespace parley::demo_model
