// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/demo_model/reply.h"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <utility>

#include "base/core/utf8.h"
#include "runtime/model/context.h"
#include "tests/support/demo_model/sample_tools.h"

namespace parley::demo_model {
namespace {

using model::Message;
using model::ModelRequest;
using model::ToolCall;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A conversation with the demonstration; tools answer from a table.
class Talk {
 public:
  // Results by call ("read {...}"); default "ok"; a result that begins with "!" is an error.
  std::map<std::string, std::string> results;
  std::vector<std::string> calls;
  std::vector<model::ToolSpec> tools = testing::own_tools();

  std::string ask(std::string request) {
    messages_.push_back(Message::user(std::move(request)));
    for (int turn = 0; turn < 20; ++turn) {
      ModelRequest asked;
      asked.messages = messages_;
      asked.tools = tools;
      const Answer answer = answer_to(asked);
      Message said = Message::assistant(answer.text);
      said.tool_calls = answer.calls;
      messages_.push_back(said);
      if (said.tool_calls.empty()) return answer.text;
      EXPECT_FALSE(answer.reasoning.empty());
      for (const ToolCall& call : said.tool_calls) run(call);
    }
    ADD_FAILURE() << "it never ends";
    return {};
  }

 private:
  void run(const ToolCall& call) {
    const std::string text = call.name + " " + call.arguments;
    calls.push_back(text);
    std::string result = results.contains(text) ? results[text] : "ok";
    const bool failed = result.starts_with('!');
    if (failed) result.erase(0, 1);
    const std::string heading = "Tool " + call.name + (failed ? " error:\n" : " result:\n");
    messages_.push_back(Message::tool(call.id, heading + result, failed));
  }

  std::vector<Message> messages_ = {Message::system("You are an agent.")};
};

constexpr const char* kReadA = R"(read {"path":"a.txt"})";

TEST(DemoReply, ToolResult_IsShown) {
  for (const char* request : {"Read the file a.txt", "read the file a.txt and tell me what it says",
                              "read a.txt, then tell me what it says"}) {
    Talk talk;
    talk.results[kReadA] = "     1\tfirst line\n     2\tsecond line\n";
    EXPECT_EQ(talk.ask(request),
              "`read {\"path\":\"a.txt\"}`:\n\n```\nfirst line\nsecond line\n```");
    EXPECT_THAT(talk.calls, ElementsAre(kReadA));
  }
  Talk talk;
  talk.results[kReadA] = "你好";
  EXPECT_EQ(talk.ask("读取文件 a.txt，告诉我内容"),
            "`read {\"path\":\"a.txt\"}`:\n\n```\n你好\n```");
  talk.results[kReadA] = "";
  EXPECT_THAT(talk.ask("read a.txt"), HasSubstr("(nothing)"));
}

TEST(DemoReply, Steps_AreDoneInOrder) {
  Talk talk;
  talk.results[kReadA] = "     1\thello\n";
  const std::string reply =
      talk.ask("Read a.txt, then write its content to b.txt. Then read b.txt");
  EXPECT_THAT(reply, HasSubstr("`read {\"path\":\"b.txt\"}`"));
  talk.ask("读取 a.txt，然后把内容写入 c.txt");
  EXPECT_THAT(talk.calls, ElementsAre(kReadA, R"(write_file {"path":"b.txt","content":"hello\n"})",
                                      R"(read {"path":"b.txt"})", kReadA,
                                      R"(write_file {"path":"c.txt","content":"hello\n"})"));
}

TEST(DemoReply, ChatRequest_PlansEditsNodesAndAsks) {
  Talk talk;
  talk.results[R"(ask_question {"question":"要继续吗"})"] = "继续";
  talk.ask("制定计划：查看节点、修改步数；把节点3的steps改成30");
  EXPECT_THAT(talk.ask("问我：要继续吗"), HasSubstr("继续\n"));
  EXPECT_THAT(talk.calls,
              ElementsAre(R"(todo_write {"todos":[{"content":"查看节点"},{"content":"修改步数"}]})",
                          R"(workflow_node_set {"node":"3","input":"steps","value":30})",
                          R"(ask_question {"question":"要继续吗"})"));
}

TEST(DemoReply, Failure_StopsPlan_ListsOpenSteps) {
  Talk talk;
  talk.results[kReadA] = "!No such file";
  EXPECT_EQ(talk.ask("read a.txt then delete b.txt"),
            "`read {\"path\":\"a.txt\"}` failed:\n\n```\nNo such file\n```\n\n"
            "Not done after that: 1 step(s).");
  EXPECT_THAT(talk.calls, ElementsAre(kReadA));
}

TEST(DemoReply, FailedCallOfTwo_IsNamed) {
  Talk talk;
  talk.results[kReadA] = "!gone";
  EXPECT_THAT(talk.ask("read a.txt and b.txt"),
              AllOf(HasSubstr("`read {\"path\":\"a.txt\"}` failed"),
                    HasSubstr("`read {\"path\":\"b.txt\"}`:")));
}

TEST(DemoReply, UnknownRequest_NamesModelLimits) {
  Talk talk;
  EXPECT_THAT(talk.ask("Why is the sky blue?"),
              AllOf(HasSubstr("“Why is the sky blue?”"), HasSubstr("no language model"),
                    HasSubstr("`read`, `write_file`")));
  EXPECT_THAT(talk.ask("天空为什么是蓝色的？"), HasSubstr("不是语言模型"));
  EXPECT_THAT(talk.ask("Hello"), ::testing::StartsWith("Hello! I am Parley's"));
  EXPECT_THAT(talk.ask("你好！"), ::testing::StartsWith("你好！我是"));
  EXPECT_THAT(talk.ask("read a.txt; sing a song"),
              AllOf(HasSubstr("```\nok\n```"), HasSubstr("“sing a song”")));
  EXPECT_THAT(talk.calls, ElementsAre(kReadA));
}

TEST(DemoReply, RequestedText_IsRepeated) {
  Talk talk;
  EXPECT_EQ(talk.ask("say \"good; evening.\""), "good; evening.");
  EXPECT_EQ(talk.ask("say it works"), "it works");
  EXPECT_EQ(talk.ask("说“晚上好”"), "晚上好");
}

TEST(DemoReply, EachRequest_StandsAlone) {
  Talk talk;
  talk.ask("read a.txt");
  talk.ask("read a.txt");
  EXPECT_EQ(talk.calls.size(), 2U);
}

TEST(DemoReply, Result_IsShownInPart_InsideOwnFence) {
  Talk talk;
  for (int i = 0; i < 500; ++i) talk.results[kReadA] += "第" + std::to_string(i) + "行\n";
  const std::string reply = talk.ask("read a.txt");
  EXPECT_LT(reply.size(), 2'200U);
  EXPECT_THAT(reply, HasSubstr("..."));
  EXPECT_TRUE(core::is_utf8(reply));
  talk.results[kReadA] = "```\ncode\n```";
  EXPECT_THAT(talk.ask("read a.txt"), HasSubstr("````\n```\ncode\n```\n````"));
}

TEST(DemoReply, Summary_ContinuesConversation) {
  ModelRequest request;
  request.tools = testing::own_tools();
  request.messages = {Message::user(std::string(model::kSummaryHeading) + "\nThey read much.\n" +
                                    std::string(model::kLastRequestHeading) + "\nread a.txt")};
  ASSERT_EQ(answer_to(request).calls.size(), 1U);
  EXPECT_EQ(answer_to(request).calls[0].arguments, R"({"path":"a.txt"})");
}

TEST(DemoReply, AnyText_IsAnsweredInUtf8) {
  const std::string pieces[] = {"read ",   "write ",  "把",
                                "“",       "\"",      "`",
                                "{",       "{\"a\":", "a.txt",
                                "然后",    " then ",  "*.{",
                                "5",       "，",      "在",
                                "的",      "\n",      "\xe4\xb8",
                                "plan:",   "ask me",  " to ",
                                " in ",    "删除",    "：",
                                "$0",      "say ",    "set x of node 3",
                                "；",      " and ",   "\"b c\"",
                                "list ",   "files ",  "和 ",
                                "compare "};
  unsigned state = 7;
  for (int round = 0; round < 600; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) {
      state = state * 1'664'525U + 1'013'904'223U;
      text += pieces[(state >> 16U) % std::size(pieces)];
    }
    ModelRequest request;
    request.tools = testing::own_tools();
    request.messages = {Message::user(text)};
    const Answer answer = answer_to(request);
    ASSERT_TRUE(core::is_utf8(answer.text + answer.reasoning)) << text;
    ASSERT_TRUE(!answer.text.empty() || !answer.calls.empty()) << text;
    for (const ToolCall& call : answer.calls) ASSERT_TRUE(core::is_utf8(call.arguments)) << text;
  }
}

}  // namespace
}  // namespace parley::demo_model
