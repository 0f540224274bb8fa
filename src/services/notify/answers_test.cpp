// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/answers.h"

#include <gtest/gtest.h>

#include "model/session/notice_key.h"
#include "services/notify/notice.h"

namespace parley::notify {

namespace {

TEST(AnswersTest, NoticeOfAgent_HasItsOwnTitleAndButton) {
  session::Interaction told;
  told.kind = session::InteractionKind::task_finish;
  told.key = session::notice_key("failed", "1", "s");
  told.prompt.agent_name = "Coder";
  told.prompt.text = "The build failed\n\nwith 2";
  EXPECT_EQ(notice_title(told, Language::english).text, "Coder: The build failed");
  const auto answers = quick_answers(told, Language::english);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers.front().label, "OK");
  told.key = "k";
  EXPECT_EQ(notice_title(told, Language::english).text, "Task finished by Coder");
  EXPECT_EQ(quick_answers(told, Language::english).front().label, "Confirm");
}

session::Interaction approval(std::string text) {
  session::Interaction asked;
  asked.kind = session::InteractionKind::tool_approval;
  asked.prompt.text = std::move(text);
  return asked;
}

TEST(AnswersTest, ShortQuestion_IsSeenAtOnce) {
  EXPECT_TRUE(
      is_seen_at_once(approval("Allow `bash` to run?\n\n```json\n{}\n```"), Language::english));
  EXPECT_TRUE(is_seen_at_once(approval(std::string(kMaxSeenBody, 'x')), Language::english));
}

TEST(AnswersTest, TextOutOfSight_IsNotSeen) {
  for (const std::string& text :
       {std::string(kMaxSeenBody + 1, 'x'), "a" + std::string(kMaxSeenBlanks + 1, ' ') + "b",
        "```\na" + std::string(kMaxSeenLines, '\n') + "b\n```", std::string(kMaxBodyBytes * 3, 'x'),
        std::string("a\nb\nc\nd\ne\nf\ng\nh\ni")}) {
    EXPECT_FALSE(is_seen_at_once(approval(text), Language::english)) << text.substr(0, 40);
  }
  session::Interaction asked = approval("Go?");
  asked.prompt.project_directory = "/srv/" + std::string(kMaxSeenTitle, 'p');
  EXPECT_FALSE(is_seen_at_once(asked, Language::english)) << "the title is cut";
}

TEST(AnswersTest, HiddenCharacters_CountAsTheyAreShown) {
  std::string text = "run";
  for (int i = 0; i < 50; ++i) text += "\xe2\x80\xae";  // U+202E, shown as <U+202E>
  EXPECT_LT(text.size(), kMaxSeenBody);
  EXPECT_FALSE(is_seen_at_once(approval(text), Language::english));
}

TEST(AnswersTest, DangerousCommand_IsNotAllowedByOneButton) {
  const auto buttons_of = [](const session::Interaction& asked) {
    std::vector<std::string> labels;
    for (const QuickAnswer& one : button_answers(asked, Language::english)) {
      if (is_button(asked, one, Language::english)) labels.push_back(one.label);
    }
    return labels;
  };
  const std::string command = "\n\n```sh\nrm -rf ~\n```";
  EXPECT_EQ(buttons_of(approval("Run?" + command)), (std::vector<std::string>{"Allow", "Deny"}));
  EXPECT_EQ(buttons_of(approval("Run?\n\n**Careful:**\n\n- Deletes" + command)),
            std::vector<std::string>{"Deny"});

  session::Interaction asked;
  asked.prompt.questions = {{"**Not understood whole:** `if`" + command,
                             "Permission",
                             {{"Allow once", ""}, {"Deny", ""}}}};
  EXPECT_EQ(buttons_of(asked), std::vector<std::string>{"Deny"});
}

TEST(AnswersTest, ChoicesWithEqualLabels_AreNumbered) {
  session::Interaction asked;
  asked.prompt.questions = {{"Which?", "", {{"Yes", "a"}, {"No", ""}, {"Yes", "b"}}}};
  const auto answers = quick_answers(asked, Language::english);
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0].text, "Yes (1)");
  EXPECT_EQ(answers[1].label, "No");
  EXPECT_EQ(answers[2].label, "Yes (3)");

  asked.prompt.questions = {{"Run?", "", {{"Allow once", "a"}, {"Allow once", "b"}, {"Deny", ""}}}};
  const auto buttons = button_answers(asked, Language::english);
  ASSERT_EQ(buttons.size(), 1U);
  EXPECT_EQ(buttons[0].text, "Deny");
}

TEST(AnswersTest, DescriptionOfChoice_BelongsToQuestion) {
  session::Interaction asked;
  asked.prompt.text = "May it run?";
  asked.prompt.questions = {{"May it run?", "Bash", {{"Tests", "make:*"}, {"Nothing", ""}}}};
  EXPECT_EQ(notice_text(asked.prompt, kMaxBodyBytes).text, "May it run?\nTests: make:*");
  asked.prompt.questions[0].choices[0].description.assign(kMaxSeenBody, 'x');
  EXPECT_FALSE(is_seen_at_once(asked, Language::english));
}

TEST(AnswersTest, Refusal_IsSafe_ConsentIsNot) {
  const session::Interaction asked = approval(std::string(kMaxSeenBody + 1, 'x'));
  const auto answers = quick_answers(asked, Language::chinese);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_FALSE(is_button(asked, answers[0], Language::chinese));
  EXPECT_TRUE(is_button(asked, answers[1], Language::chinese));
  EXPECT_FALSE(is_safe_answer(asked, "allow, quickly"));
  EXPECT_TRUE(is_safe_answer(asked, "no"));
}

// A notice offers the two choices that decide about what is shown, in all channels.
TEST(AnswersTest, PermissionPrompt_HasButtonsAllowOnceAndDeny) {
  session::Interaction asked;
  asked.prompt.text = "Run it?\n\nmake";
  asked.prompt.questions = {{asked.prompt.text,
                             "Bash",
                             {{"Always 1", "make:*, for all projects"},
                              {"Allow once", ""},
                              {"Edit command", ""},
                              {"Deny", ""},
                              {"Deny and stop", ""},
                              {"Answer in the terminal", ""}}}};
  const auto buttons = button_answers(asked, Language::english);
  ASSERT_EQ(buttons.size(), 2U);
  EXPECT_EQ(buttons[0].text, "Allow once");
  EXPECT_EQ(buttons[1].text, "Deny");
  EXPECT_TRUE(is_button(asked, buttons[0], Language::english));
  EXPECT_EQ(notice_text(asked.prompt, kMaxBodyBytes).text, "Run it?\nmake")
      << "the rule is no button";
  EXPECT_EQ(quick_answers(asked, Language::english).size(), 6U) << "the page has all";
  asked.prompt.text += std::string(kMaxSeenBody, 'x');
  EXPECT_FALSE(is_button(asked, buttons[0], Language::english));
  EXPECT_TRUE(is_button(asked, buttons[1], Language::english)) << "what is cut can be denied";
  EXPECT_TRUE(is_safe_answer(asked, "Deny and stop"));
  EXPECT_FALSE(is_safe_answer(asked, "Always 1"));
}

TEST(AnswersTest, LongLabel_HasNoButton) {
  session::Interaction asked;
  asked.prompt.questions = {{"Go?", "", {{std::string(kMaxSeenLabel + 1, 'x'), ""}, {"No", ""}}}};
  const auto answers = quick_answers(asked, Language::english);
  EXPECT_FALSE(is_button(asked, answers[0], Language::english));
  EXPECT_TRUE(is_button(asked, answers[1], Language::english));
}

}  // namespace

namespace {

TEST(CompactText, CommandOfOneLine_IsASpan_BlankLinesGo) {
  EXPECT_EQ(compact_text("Wants to run a command.\n\n```sh\nnpm test\n```\n\n- Programs: `npm`\n\n"
                         "Directory: `/h`"),
            "Wants to run a command.\n`npm test`\n- Programs: `npm`\nDirectory: `/h`");
  EXPECT_EQ(compact_text("````sh\necho ```\n````"), "```` echo ``` ````");
}

TEST(CompactText, LinesOfAFence_StayAsTheyAre) {
  for (const std::string_view text :
       {"```sh\na\n\nb\n```", "```\n\n```", "````\n```\n\nx\n````", "```sh\na\n\nDirectory: `/h`",
        "```\n```", "a `b` c", "", "```x`\ny"}) {
    EXPECT_EQ(compact_text(text), text);
  }
}

TEST(CompactText, NoWordIsLeftOut) {
  EXPECT_EQ(compact_text("a\n \n\t\n\nb\n\n```\nc\n```\n\n```\nd\ne\n```\nf\n"),
            "a\nb\n`c`\n```\nd\ne\n```\nf");
}

}  // namespace

}  // namespace parley::notify
