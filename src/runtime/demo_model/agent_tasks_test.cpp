// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <string>

#include "runtime/demo_model/reply.h"
#include "tests/support/demo_model/sample_tools.h"

namespace parley::demo_model {
namespace {

namespace json = boost::json;
using model::Message;
using model::ModelRequest;
using ::testing::HasSubstr;

ModelRequest task(const std::string& name, const std::string& prompt, const std::string& request) {
  ModelRequest out;
  out.messages = {Message::system("You are an agent.\n\n[parley:task " + name + "]\n" + prompt),
                  Message::user(request)};
  out.tools = testing::own_tools();
  return out;
}

void add_call(ModelRequest& request, const char* tool, const char* arguments, const char* result) {
  Message call = Message::assistant("Do it");
  call.tool_calls = {{"c1", tool, arguments}};
  request.messages.push_back(call);
  request.messages.push_back(Message::tool("c1", result));
}

std::string text_of(const ModelRequest& request) { return answer_task(request).value().text; }
json::value json_of(const ModelRequest& request) { return json::parse(text_of(request)); }

// The candidates of a reply, each as "thought | tool arguments".
std::vector<std::string> candidates(const ModelRequest& request) {
  std::vector<std::string> out;
  const json::value root = json_of(request);
  for (const json::value& one : root.at("candidates").as_array()) {
    out.emplace_back(one.at("thought").as_string());
    for (const json::value& call : one.at("tool_calls").as_array()) {
      out.back() += " | " + std::string(call.at("name").as_string()) + " " +
                    json::serialize(call.at("arguments"));
    }
  }
  return out;
}

TEST(DemoAgentTasks, Tasks_AreKnownByMarkInLastSystemMessage) {
  ModelRequest none;
  none.messages = {Message::system("Say [parley:task got_plan] aloud"),
                   Message::user("[parley:task got_plan]")};
  EXPECT_FALSE(answer_task(none).has_value());
  EXPECT_FALSE(answer_task(task("unheard_of", "", "x")).has_value());
}

TEST(DemoAgentTasks, Expand_ProposesStepAlternativeAndAnswer) {
  EXPECT_THAT(candidates(task("tot_expand", "Propose 3.", "read a.txt")),
              ::testing::ElementsAre(R"(Do it directly: read a.txt | read {"path":"a.txt"})",
                                     "list the files | ls {}", HasSubstr("without looking")));
}

TEST(DemoAgentTasks, Expand_AnswersOnceAllIsDone) {
  ModelRequest request = task("tot_expand", "Propose 3.", "read a.txt");
  add_call(request, "read", R"({"path":"a.txt"})", "Tool read result:\nsecret");
  EXPECT_THAT(candidates(request), ::testing::ElementsAre(HasSubstr("secret\n")));
}

TEST(DemoAgentTasks, Expand_AtLastLevelOrFailure_Answers) {
  for (const char* prompt : {"Propose 3.\nThese were tried from here:\n- Do it directly",
                             "This is the last level of the tree."}) {
    ModelRequest request = task("tot_expand", prompt, "read a.txt");
    add_call(request, "ls", "{}", "Tool ls result:\nb.txt");
    EXPECT_THAT(candidates(request), ::testing::ElementsAre(HasSubstr("b.txt\n")));
  }
}

TEST(DemoAgentTasks, Evaluate_ScoresEachCandidate) {
  const json::value root =
      json_of(task("tot_evaluate", "Judge.\nCandidate 1: a\nCandidate 2: b", "x"));
  const json::array& scores = root.at("scores").as_array();
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_GT(scores[0].as_double(), scores[1].as_double());
  EXPECT_LE(scores[0].as_double(), 1.0);
}

struct Planned {
  const char* request;
  std::vector<std::string> tasks;
  const char* edges;
};

TEST(DemoAgentTasks, Plan_HasTaskForEachStepAndFile) {
  const Planned cases[] = {
      {"read a.txt and b.txt, then tell me what they say",
       {"read the file \"a.txt\"", "read the file \"b.txt\""},
       "[]"},
      {"read a.txt and b.txt; list src; compare a.txt and b.txt",
       {"read the file \"a.txt\"", "read the file \"b.txt\"", "list src",
        "compare a.txt and b.txt"},
       R"([["task_1","task_3"],["task_2","task_3"],["task_3","task_4"]])"},
      {"read a.txt, then list the files here",
       {"read the file \"a.txt\"", "list the files here"},
       "[]"},
      {"读取 a.txt，然后把内容写入 b.txt",
       {"读取文件 \"a.txt\"", "把内容写入 b.txt"},
       R"([["task_1","task_2"]])"},
      {R"(read {"path": "a; b"}; bash {})",
       {R"(read {"path": "a; b"})", "bash {}"},
       R"([["task_1","task_2"]])"},
      {"what is life?", {"what is life?"}, "[]"},
      {"tell me", {"tell me"}, "[]"},
  };
  for (const Planned& one : cases) {
    const json::value root = json_of(task("got_plan", "", one.request));
    std::vector<std::string> tasks;
    for (const json::value& node : root.at("nodes").as_array()) {
      EXPECT_EQ(node.at("id").as_string(), "task_" + std::to_string(tasks.size() + 1));
      tasks.emplace_back(node.at("description").as_string());
    }
    EXPECT_EQ(tasks, one.tasks) << one.request;
    EXPECT_EQ(json::serialize(root.at("edges")), one.edges) << one.request;
  }
}

TEST(DemoAgentTasks, PlannedTask_UsesPreviousResults) {
  const std::optional<Answer> answer =
      answer_task(task("got_task", "",
                       "Task: all\n\nResult of 'task_1':\n`read "
                       "{}`:\n\n```\nhello\n```\n\nSub-task: write it to b.txt"));
  ASSERT_EQ(answer.value().calls.size(), 1U);
  EXPECT_EQ(answer->calls[0].arguments, R"({"path":"b.txt","content":"hello"})");
}

TEST(DemoAgentTasks, Comparison_IsExpanded) {
  const std::string compare = "Judge.\nTask: Compare a.txt and b.txt\nResult: x";
  EXPECT_EQ(text_of(task("got_complexity", compare, "x")), "complex");
  EXPECT_EQ(text_of(task("got_complexity", "Judge.\nTask: read a.txt\nResult: x", "x")), "simple");
  const json::value root = json_of(task("got_decompose", compare, "x"));
  ASSERT_EQ(root.at("nodes").as_array().size(), 2U);
  EXPECT_EQ(root.at("nodes").at(1).at("description").as_string(), "read the file \"b.txt\"");
  EXPECT_TRUE(root.at("edges").as_array().empty());
}

TEST(DemoAgentTasks, Understand_NamesGoal) {
  EXPECT_EQ(text_of(task("dup_understand", "", "read a.txt")),
            R"({"core_goal":"read a.txt","key_constraints":[],"relevant_context":""})");
}

TEST(DemoAgentTasks, Summary_IsResultsOrStartOfConversation) {
  EXPECT_EQ(text_of(task("summary", "",
                         "The request: x\n\nResult of 'a':\nfirst\n\nResult of 'b':\nsecond\n\n'c' "
                         "could not be done: gone")),
            "first\n\nsecond\n\n'c' could not be done: gone");
  const std::string text =
      text_of(task("summary", "", "Person: read a.txt\nResult: " + std::string(9'000, 'x')));
  EXPECT_THAT(text, HasSubstr("Person: read a.txt"));
  EXPECT_LT(text.size(), 1'200U);
}

}  // namespace
}  // namespace parley::demo_model
