// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/setup_command_line.h"

#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <sstream>

namespace parley::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(SetsUp, OnlyChangesOfFiles_Count) {
  setup::SetupOptions options;
  EXPECT_FALSE(sets_up(options)) << "without an agent it shows";
  options.agents = {"claude"};
  EXPECT_TRUE(sets_up(options));
  options.dry_run = true;
  EXPECT_FALSE(sets_up(options));
  options.dry_run = false;
  options.remove = true;
  EXPECT_FALSE(sets_up(options));
  setup::SetupOptions all;
  all.all = true;
  EXPECT_TRUE(sets_up(all));
  all.show = true;
  EXPECT_FALSE(sets_up(all));
}

TEST(PresenceText, NotifiersAndDevices_CountAsSomebody) {
  ServerState state;
  EXPECT_THAT(presence_text(state), HasSubstr("No server runs"));
  state.server = mcp::RunningServer{{"http://127.0.0.1:1", "t", {}, {}, {}}, 77, "1", 1};
  state.pages = 0;
  state.notified = 0;
  EXPECT_THAT(presence_text(state), HasSubstr("Nobody is there now"));
  state.notified = 1;
  EXPECT_THAT(presence_text(state), AllOf(HasSubstr("Somebody is there now: 0 pages are open"),
                                          HasSubstr("1 notifier or device would tell")));
  state.failure = "The server does not answer.";
  EXPECT_THAT(presence_text(state), HasSubstr("`parley status`"));
}

TEST(SaysYes, OnlyYes_SendsThePrompt) {
  for (const auto& [line, yes] : std::vector<std::pair<std::string, bool>>{{"\n", true},
                                                                           {" Y \n", true},
                                                                           {"yes\n", true},
                                                                           {"n\n", false},
                                                                           {"q\n", false},
                                                                           {"", false}}) {
    std::istringstream in(line);
    EXPECT_EQ(says_yes(in), yes) << line;
  }
}

TEST(AnsweredPlace, NewestAnswerWithTheText_IsNamed) {
  const auto place = [](std::string_view channel) {
    const std::string by =
        R"("by":{"token":"t1","name":"Pi\u001bxel","channel":")" + std::string(channel) + R"("})";
    return answered_place(
        boost::json::parse(
            R"({"interactions":[)"
            R"({"opened_at":3,"prompt":{"text":"Other?"},"outcome":{"by":{"name":"x"}}},)"
            R"({"opened_at":1,"prompt":{"text":"Test?"},"outcome":{"by":{"name":"old"}}},)"
            R"({"opened_at":2,"prompt":{"text":"Test?"},"outcome":{)" +
            by + R"(}},{"opened_at":9,"prompt":{"text":"Test?"}},7]})")
            .get_object(),
        "Test?");
  };
  EXPECT_THAT(place("push"), AllOf(HasSubstr("from a push notice on Pi"), HasSubstr("xel")));
  EXPECT_EQ(place("push").find('\x1b'), std::string::npos);
  EXPECT_THAT(place("console"), HasSubstr("in the console, as Pi"));
  EXPECT_THAT(place("later"), HasSubstr("by later, as Pi"));
  EXPECT_EQ(answered_place({}, "Test?"), "");
}

TEST(TestQuestion, Language_IsThatOfThePerson) {
  const TestQuestion english = test_question(TestPrompt::setup, hook::Language::english);
  EXPECT_THAT(english.text, AllOf(HasSubstr("`parley setup`"), HasSubstr("on your phone")));
  const TestQuestion chinese = test_question(TestPrompt::setup, hook::Language::chinese);
  EXPECT_THAT(chinese.text, AllOf(HasSubstr("`parley setup`"), HasSubstr("手机")));
  EXPECT_THAT(test_question(TestPrompt::doctor, hook::Language::chinese).text,
              HasSubstr("`parley doctor`"));
}

TEST(ToldEnd, EachEnd_HasItsSentence) {
  EXPECT_EQ(end_message({mcp::AskExit::answered, "from a push notice on Pixel", {}}),
            "Decided from a push notice on Pixel.\n");
  EXPECT_EQ(end_message({mcp::AskExit::answered, {}, {}}), "Decided.\n");
  EXPECT_THAT(end_message({mcp::AskExit::timed_out, {}, {}}), HasSubstr("`parley doctor`"));
  EXPECT_EQ(end_message({mcp::AskExit::cancelled, {}, {}}), "Withdrawn.\n");
  EXPECT_EQ(end_message({mcp::AskExit::unreachable, {}, "no server"}), "It failed: no server\n");
}

}  // namespace
}  // namespace parley::app
