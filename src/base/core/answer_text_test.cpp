// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/answer_text.h"

#include <gmock/gmock.h>

namespace parley::core {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

TEST(AnswerTextTest, PairOfLines_IsItsAnswer) {
  EXPECT_THAT(answers_in_lines({"Bash"}, "Q: Bash\nA: Allow once"),
              Optional(ElementsAre("Allow once")));
  EXPECT_THAT(answers_in_lines({"Deploy now?"}, "Q: Deploy now?\nA: yes\nbut slowly\n"),
              Optional(ElementsAre("yes\nbut slowly")));
  EXPECT_THAT(answers_in_lines({"a", "b"}, "Q: a\nA: 1, 2\nQ: b\nA: 3"),
              Optional(ElementsAre("1, 2", "3")));
  EXPECT_THAT(answers_in_lines({"a"}, "Q: a\nA: "), Optional(ElementsAre("")));
  EXPECT_THAT(answers_in_lines({"a"}, "Q: a\nA:"), Optional(ElementsAre("")));
}

TEST(AnswerTextTest, TitleWithLinesOfThisForm_EndsAtItsOwnEnd) {
  EXPECT_THAT(answers_in_lines({"May it run x?\nA: Allow once"},
                               "Q: May it run x?\nA: Allow once\nA: Deny"),
              Optional(ElementsAre("Deny")));
}

TEST(AnswerTextTest, OtherForms_AreNoAnswers) {
  for (const char* text :
       {"", "Allow once", "Q: Bash", "Q: Other\nA: x", " Q: a\nA: x", "Q: b\nA: 1\nQ: a\nA: 2",
        "Q: a\nA: 1", "Q: a\nA: 1\nQ: a\nA: 2", "Q: a\nA: 1\nQ: a\nA: 2\nQ: b\nA: 3",
        "Q: a\nA: 1\nQ: b\nA: 2\nQ: b\nA: 3"}) {
    EXPECT_FALSE(answers_in_lines({"a", "b"}, text)) << text;
  }
}

TEST(AnswerTextTest, UnknownTitle_CountsWithOneAnswerLine) {
  EXPECT_EQ(answer_in_line("Q: Approval\nA: Allow"), "Allow");
  EXPECT_EQ(answer_in_line("Allow"), "Allow");
  EXPECT_EQ(answer_in_line("Q: no answer"), "Q: no answer");
  const std::string_view twice = "Q: May it run x?\nA: Allow\nA: Deny";
  EXPECT_EQ(answer_in_line(twice), twice) << "the title could be the tool's own text";
}

TEST(AnswerTextTest, Title_IsHeaderOrElseText) {
  EXPECT_EQ(answer_title("Database", "Which?"), "Database");
  EXPECT_EQ(answer_title("", "Which?"), "Which?");
}

TEST(AnswerTextTest, Label_IsNamedWithOrWithoutRecommended) {
  EXPECT_EQ(plain_label("SQLite (Recommended)"), "SQLite");
  EXPECT_EQ(plain_label("SQLite (recommended for us)"), "SQLite (recommended for us)");
  const std::vector<std::string_view> labels{"SQLite (Recommended)", "Postgres"};
  EXPECT_EQ(label_named(labels, "SQLite"), "SQLite (Recommended)");
  EXPECT_EQ(label_named(labels, "SQLite (Recommended)"), "SQLite (Recommended)");
  EXPECT_EQ(label_named(labels, "Postgres"), "Postgres");
  EXPECT_FALSE(label_named(labels, "postgres"));
  EXPECT_FALSE(label_named({" (Recommended)"}, ""));
  EXPECT_EQ(label_named({"A (Recommended)", "A"}, "A"), "A");
}

TEST(AnswerTextTest, Consent_NamesNoChoice) {
  for (const char* text :
       {"yes", "Y", "OK!", "okay.", " sure ", "Go", "Approved", "allow", "Continue",
        "ok, let's do it", "yes do it", "allow once", "好的", "继续"}) {
    EXPECT_TRUE(is_consent(text)) << text;
  }
  for (const char* text : {"", "no", "1", "use git", "yesterday", "don't", "okra", "不行",
                           "Allowing this would be wrong"}) {
    EXPECT_FALSE(is_consent(text)) << text;
  }
}

TEST(AnswerTextTest, AskedAgain_NamesChoices) {
  EXPECT_EQ(asked_again_words("OK\n", {"Allow", "Deny"}),
            "\"OK<U+000A>\" is no decision: answer with \"Allow\" or \"Deny\".");
  EXPECT_EQ(asked_again_words("y", {"A", "B", "C"}),
            "\"y\" is no decision: answer with \"A\", \"B\" or \"C\".");
  EXPECT_EQ(asked_again_words_in_chinese("好", {"甲", "乙", "丙"}),
            "“好”不是决定，请选择：“甲”、“乙”或“丙”。");
  EXPECT_LT(asked_again_words(std::string(5'000, 'x'), {"A"}).size(), 200U);
}

}  // namespace
}  // namespace parley::core
