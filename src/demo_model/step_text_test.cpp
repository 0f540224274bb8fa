// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "demo_model/step_text.h"

#include <gmock/gmock.h>

namespace parley::demo_model {
namespace {

using ::testing::ElementsAre;

struct Division {
  const char* text;
  std::vector<std::string> parts;
};

TEST(StepText, RequestsAreDividedAtThenAndBeforeVerbs) {
  const Division cases[] = {
      {"read a.txt, then write it to b.txt and then read it",
       {"read a.txt", "write it to b.txt", "read it"}},
      {"read the file a.txt and tell me what it says",
       {"read the file a.txt", "tell me what it says"}},
      {"读取文件 a.txt，告诉我内容", {"读取文件 a.txt", "告诉我内容"}},
      {"读取 a.txt，然后把内容写入 b.txt，再删除 a.txt",
       {"读取 a.txt", "把内容写入 b.txt", "删除 a.txt"}},
      {"read a.txt; list src", {"read a.txt", "list src"}},
      {"1. create x.txt\n2. list the files", {"create x.txt", "list the files"}},
      {"Read a.txt. How long is it?", {"Read a.txt.", "How long is it?"}},
      {"read a.txt and b.txt", {"read a.txt and b.txt"}},
      {"write \"first, then second; third\" to a.txt",
       {"write \"first, then second; third\" to a.txt"}},
      {"把“先读取，然后删除”写入 a.txt", {"把“先读取，然后删除”写入 a.txt"}},
      {R"(bash {"command": "a; b"}; read x.txt)", {R"(bash {"command": "a; b"})", "read x.txt"}},
      {"remember that I read and write", {"remember that I read and write"}},
      {"ask me for a name and write the answer to n.txt",
       {"ask me for a name", "write the answer to n.txt"}},
      {"plan: read a; write b, then stop. Read c.txt",
       {"plan: read a; write b, then stop.", "Read c.txt"}},
  };
  for (const Division& one : cases) EXPECT_EQ(split_steps(one.text), one.parts) << one.text;
}

TEST(StepText, NoMoreStepsAreTakenThanTheLimit) {
  std::string text = "read 0.txt";
  for (int i = 1; i < 20; ++i) text += "; read " + std::to_string(i) + ".txt";
  EXPECT_EQ(split_steps(text).size(), kMaxSteps);
}

TEST(StepText, ListsAreDividedAtCommasAndConjunctions) {
  EXPECT_THAT(split_list("red, green or \"a, b\""), ElementsAre("red", "green", "a, b"));
  EXPECT_THAT(split_list("look; and then change"), ElementsAre("look", "change"));
  EXPECT_THAT(split_list("买牛奶、写报告和睡觉。"), ElementsAre("买牛奶", "写报告", "睡觉"));
  EXPECT_THAT(split_list("\n- one\n- two"), ElementsAre("one", "two"));
}

TEST(StepText, TheLanguageIsThatOfTheWordsOutsideOfQuotes) {
  EXPECT_EQ(language_of("读取文件 a.txt"), Language::chinese);
  EXPECT_EQ(language_of("write “你好” to a.txt"), Language::english);
  EXPECT_EQ(language_of(""), Language::english);
}

TEST(StepText, QuotesComeOffOnlyAroundAllOfAText) {
  EXPECT_EQ(unquoted(" “你好”。"), "你好");
  EXPECT_EQ(unquoted("\"a\" and \"b\""), "\"a\" and \"b\"");
  EXPECT_EQ(unquoted("git add ."), "git add .");
  EXPECT_EQ(unquoted("hello."), "hello");
}

}  // namespace
}  // namespace parley::demo_model
