// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "demo_model/reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "core/utf8.h"
#include "demo_model/sample_tools.h"
#include "runtime/model/context.h"

namespace parley::demo_model {
namespace {

using model::kLastRequestHeading;
using model::kSummaryHeading;
using model::Message;
using model::ModelRequest;
using model::ToolCall;
using model::ToolSpec;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::own_tools;

// A conversation of the demonstration with tools that answer from a table.
class Talk {
 public:
  // What a call ("read {...}") gives; an answer that begins with "!" is an error.
  std::map<std::string, std::string> results;
  std::vector<std::string> calls;
  std::vector<ToolSpec> tools = own_tools();

  std::string ask(std::string request) {
    messages_.push_back(Message::user(std::move(request)));
    for (int turn = 0; turn < 20; ++turn) {
      ModelRequest asked;
      asked.messages = messages_;
      asked.tools = tools;
      Answer answer = answer_to(asked);
      EXPECT_FALSE(answer.reasoning.empty());
      Message said = Message::assistant(answer.text);
      for (ToolCall call : answer.calls) {
        call.id = "c" + std::to_string(calls.size() + said.tool_calls.size());
        said.tool_calls.push_back(std::move(call));
      }
      messages_.push_back(said);
      if (said.tool_calls.empty()) return answer.text;
      for (const ToolCall& call : said.tool_calls) run(call);
    }
    ADD_FAILURE() << "it never ends";
    return {};
  }

 private:
  void run(const ToolCall& call) {
    const std::string text = call.name + " " + call.arguments;
    calls.push_back(text);
    const auto it = results.find(text);
    std::string result = it == results.end() ? "ok" : it->second;
    const bool failed = result.starts_with('!');
    if (failed) result.erase(0, 1);
    const std::string heading = "Tool " + call.name + (failed ? " error:\n" : " result:\n");
    messages_.push_back(Message::tool(call.id, heading + result, failed));
  }

  std::vector<Message> messages_ = {Message::system("You are an agent.")};
};

TEST(DemoReply, UsesWhatTheToolBrought) {
  Talk talk;
  talk.results[R"(read {"path":"a.txt"})"] = "     1\tfirst line\n     2\tsecond line\n";
  EXPECT_EQ(talk.ask("Read the file a.txt"),
            "`a.txt` has 2 lines:\n\n```\nfirst line\nsecond line\n```");
  EXPECT_THAT(talk.calls, ElementsAre(R"(read {"path":"a.txt"})"));
}

TEST(DemoReply, WhatALaterStepWantsToldIsTold) {
  struct Told {
    const char* request;
    const char* reply;
  };
  const Told cases[] = {
      {"read the file a.txt and tell me what it says", "`a.txt` has 1 line:\n\n```\nhello\n```"},
      {"读取文件 a.txt，告诉我内容", "`a.txt` 共 1 行：\n\n```\nhello\n```"},
      {"请读取 a.txt 并告诉我它写了什么", "`a.txt` 共 1 行：\n\n```\nhello\n```"},
  };
  for (const Told& one : cases) {
    Talk talk;
    talk.results[R"(read {"path":"a.txt"})"] = "hello";
    EXPECT_EQ(talk.ask(one.request), one.reply);
  }
}

TEST(DemoReply, PlansEditsNodesAndAsksInAChat) {
  Talk talk;
  talk.results[R"(ask_question {"question":"要继续吗？"})"] = "继续";
  talk.ask("制定计划：查看节点、修改步数。把节点3的steps改成30");
  EXPECT_EQ(talk.ask("问我：要继续吗"), "回答：继续");
  EXPECT_THAT(talk.calls,
              ElementsAre(R"(todo_write {"todos":[{"content":"查看节点"},{"content":"修改步数"}]})",
                          R"(workflow_node_set {"node":"3","input":"steps","value":30})",
                          R"(ask_question {"question":"要继续吗？"})"));
}

TEST(DemoReply, AnswersInTheLanguageOfTheRequest) {
  Talk talk;
  talk.results[R"(read {"path":"a.txt"})"] = "内容";
  EXPECT_EQ(talk.ask("读取文件 a.txt"), "`a.txt` 共 1 行：\n\n```\n内容\n```");
}

TEST(DemoReply, CountsWhereThatIsAsked) {
  Talk talk;
  talk.results[R"(read {"path":"a.txt"})"] = "one two\nthree\n";
  EXPECT_EQ(talk.ask("how many lines are in a.txt?"), "`a.txt` has 2 lines.");
}

TEST(DemoReply, DoesOneStepAfterTheOther) {
  Talk talk;
  talk.results[R"(read {"path":"a.txt"})"] = "hello";
  talk.results[R"(read {"path":"b.txt"})"] = "hello";
  const std::string reply =
      talk.ask("Read a.txt, then write its content to b.txt and then read it.");
  EXPECT_THAT(talk.calls, ElementsAre(R"(read {"path":"a.txt"})",
                                      R"(write_file {"path":"b.txt","content":"hello"})",
                                      R"(read {"path":"b.txt"})"));
  EXPECT_THAT(reply, HasSubstr("Wrote `b.txt`."));
  EXPECT_THAT(reply, HasSubstr("`b.txt` has 1 line"));
}

TEST(DemoReply, DoesChineseStepsOneAfterTheOther) {
  Talk talk;
  talk.results[R"(read {"path":"a.txt"})"] = "你好";
  const std::string reply = talk.ask("读取 a.txt，然后把内容写入 b.txt，最后删除 a.txt");
  EXPECT_THAT(talk.calls, ElementsAre(R"(read {"path":"a.txt"})",
                                      R"(write_file {"path":"b.txt","content":"你好"})",
                                      R"(delete_file {"path":"a.txt"})"));
  EXPECT_THAT(reply, HasSubstr("已写入 `b.txt`"));
}

TEST(DemoReply, WritesDownWhatAPersonAnsweredAndWhatWasFetched) {
  Talk talk;
  talk.results[R"(ask_question {"question":"My favourite colour?"})"] = "green";
  talk.results[R"(web_fetcher {"url":"https://x.test/a"})"] = "page";
  talk.ask("Ask me for my favourite colour and write the answer to colour.txt");
  talk.ask("下载 https://x.test/a 并保存到 a.html");
  talk.ask("新建文件 h.txt，写入 你好");
  EXPECT_THAT(talk.calls, ElementsAre(R"(ask_question {"question":"My favourite colour?"})",
                                      R"(write_file {"path":"colour.txt","content":"green"})",
                                      R"(web_fetcher {"url":"https://x.test/a"})",
                                      R"(write_file {"path":"a.html","content":"page"})",
                                      R"(write_file {"path":"h.txt","content":""})",
                                      R"(write_file {"path":"h.txt","content":"你好"})"));
}

TEST(DemoReply, TakesNumberedStepsAndSentences) {
  Talk talk;
  talk.ask("1. create the folder out\n2. write \"x\" to out/a.txt\n3. list out/");
  EXPECT_THAT(talk.calls, ElementsAre(R"(create_dir {"path":"out"})",
                                      R"(write_file {"path":"out/a.txt","content":"x"})",
                                      R"(ls {"path":"out/"})"));
}

TEST(DemoReply, SeveralFilesAreReadInOneTurn) {
  Talk talk;
  talk.results[R"(read {"path":"a.txt"})"] = "A";
  talk.results[R"(read {"path":"b.txt"})"] = "B";
  const std::string reply = talk.ask("compare a.txt and b.txt");
  EXPECT_EQ(talk.calls.size(), 2U);
  EXPECT_THAT(reply, HasSubstr("`a.txt` has 1 line"));
  EXPECT_THAT(reply, HasSubstr("`b.txt` has 1 line"));
  EXPECT_THAT(reply, HasSubstr("not summarise, explain or compare"));
}

TEST(DemoReply, StopsAtAFailureAndSaysWhatItLeftOut) {
  Talk talk;
  talk.results[R"(read {"path":"a.txt"})"] = "!No such file: a.txt";
  const std::string reply = talk.ask("read a.txt then delete b.txt");
  EXPECT_THAT(talk.calls, ElementsAre(R"(read {"path":"a.txt"})"));
  EXPECT_THAT(reply, HasSubstr("Calling `read` failed"));
  EXPECT_THAT(reply, HasSubstr("No such file: a.txt"));
  EXPECT_THAT(reply, HasSubstr("left out what was to come after it (1 step)"));
}

TEST(DemoReply, NamesTheParametersThatAreMissing) {
  Talk talk;
  const std::string reply = talk.ask("write something");
  EXPECT_TRUE(talk.calls.empty());
  EXPECT_THAT(reply, HasSubstr("`write_file`"));
  EXPECT_THAT(reply, HasSubstr("`path`"));
  EXPECT_THAT(talk.ask("读取那个文件"), HasSubstr("`path`"));
}

TEST(DemoReply, SaysThatItIsNoLanguageModelWhereItCannotDoSomething) {
  Talk talk;
  EXPECT_THAT(talk.ask("Why is the sky blue?"), HasSubstr("no language model"));
  EXPECT_THAT(talk.ask("天空为什么是蓝色的？"), HasSubstr("不是语言模型"));
  EXPECT_THAT(talk.ask("hello"), HasSubstr("no language model"));
  EXPECT_THAT(talk.ask("What can you do?"), HasSubstr("`read`"));
  talk.tools.clear();
  EXPECT_THAT(talk.ask("read a.txt"), HasSubstr("No tools are offered here."));
  EXPECT_TRUE(talk.calls.empty());
}

TEST(DemoReply, DoesWhatItCanOfAMixedRequest) {
  Talk talk;
  talk.results[R"(read {"path":"a.txt"})"] = "A";
  const std::string reply = talk.ask("read a.txt. Tell me a joke about ducks.");
  EXPECT_EQ(talk.calls.size(), 1U);
  EXPECT_THAT(reply, HasSubstr("`a.txt` has 1 line"));
  EXPECT_THAT(reply, HasSubstr("joke"));
}

TEST(DemoReply, RepeatsWhatItIsToldToSay) {
  Talk talk;
  EXPECT_EQ(talk.ask("say \"good evening\""), "good evening");
  EXPECT_EQ(talk.ask("say it works"), "it works");
  EXPECT_EQ(talk.ask("说“晚上好”"), "晚上好");
}

TEST(DemoReply, EachRequestOfAConversationStandsAlone) {
  Talk talk;
  talk.ask("read a.txt");
  talk.ask("read a.txt");
  EXPECT_EQ(talk.calls.size(), 2U);
}

TEST(DemoReply, ALongResultIsShownInPart) {
  Talk talk;
  std::string text;
  for (int i = 0; i < 500; ++i) text += "第" + std::to_string(i) + "行\n";
  talk.results[R"(read {"path":"a.txt"})"] = text;
  const std::string reply = talk.ask("read a.txt");
  EXPECT_LT(reply.size(), 2'500U);
  EXPECT_THAT(reply, HasSubstr("more bytes"));
  EXPECT_TRUE(core::is_utf8(reply));
}

TEST(DemoReply, ResultsWithFencesStayInsideTheirOwn) {
  Talk talk;
  talk.results[R"(read {"path":"a.md"})"] = "```\ncode\n```";
  EXPECT_THAT(talk.ask("read a.md"), HasSubstr("`````\n```\ncode\n```\n`````"));
}

TEST(DemoReply, GoesOnFromASummaryOfTheConversation) {
  ModelRequest request;
  request.tools = own_tools();
  request.messages = {Message::system("S"),
                      Message::user(std::string(kSummaryHeading) + "\nThey read much.\n" +
                                    std::string(kLastRequestHeading) + "\nread a.txt")};
  ASSERT_EQ(answer_to(request).calls.size(), 1U);
  EXPECT_EQ(answer_to(request).calls[0].arguments, R"({"path":"a.txt"})");
}

TEST(DemoReply, AnyTextIsAnsweredAndTheAnswerIsUtf8) {
  const std::string pieces[] = {
      "read ",  "write ",  "把",    "“",    "\"",       "'",        "`",       "```",
      "{",      "{\"a\":", "a.txt", "然后", " then ",   "https://", "*.{",     "5",
      "，",     "在",      "的",    "\n",   "\xe4\xb8", "todo:",    "ask me ", "agent ",
      "batch ", " to ",    " in ",  "删除", "运行",     "改成",     "：",      "replace "};
  unsigned state = 7;
  for (int round = 0; round < 600; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) {
      state = state * 1'664'525U + 1'013'904'223U;
      text += pieces[(state >> 16U) % std::size(pieces)];
    }
    ModelRequest request;
    request.tools = own_tools();
    request.messages = {Message::user(text)};
    const Answer answer = answer_to(request);
    ASSERT_TRUE(core::is_utf8(answer.text)) << text;
    ASSERT_TRUE(core::is_utf8(answer.reasoning)) << text;
    ASSERT_TRUE(!answer.text.empty() || !answer.calls.empty()) << text;
    for (const ToolCall& call : answer.calls) ASSERT_TRUE(core::is_utf8(call.arguments)) << text;
  }
}

}  // namespace
}  // namespace parley::demo_model
