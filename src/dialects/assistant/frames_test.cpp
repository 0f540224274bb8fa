// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

#include "dialects/assistant/frames.h"

#include <gtest/gtest.h>

namespace parley::assistant {
namespace {

session::Prompt prompt(std::string text, std::vector<session::Question> questions) {
  session::Prompt out;
  out.text = std::move(text);
  out.questions = std::move(questions);
  return out;
}

TEST(QuestionInWords, PlainQuestion_StaysAsItIs) {
  EXPECT_EQ(question_in_words(prompt("Which port?", {})), "Which port?");
  EXPECT_EQ(question_in_words(prompt("Which port?", {{"Which port?", "Port", {}, false, true}})),
            "Which port?");
}

TEST(QuestionInWords, Choices_FollowText) {
  EXPECT_EQ(question_in_words(
                prompt("rm -rf build", {{"rm -rf build",
                                         "Bash",
                                         {{"Allow once", ""}, {"Always 1", "rm:*"}, {"Deny", ""}},
                                         false,
                                         true}})),
            "rm -rf build\n\nAnswer with one of these words, or in your own:\n\n"
            "- Allow once\n- Always 1: rm:*\n- Deny");
  EXPECT_EQ(question_in_words(prompt("", {{"Which?", "", {{"A", ""}, {"B", ""}}, true, false}})),
            "Which?\n\nAnswer with one or more of these, separated by commas:\n\n- A\n- B");
}

TEST(QuestionInWords, SeveralQuestions_AreAllShown_WithFormOfAnswer) {
  EXPECT_EQ(
      question_in_words(prompt("Which DB?", {{"Which DB?", "DB", {{"SQLite", "a file"}}},
                                             {"Which port?", "", {}, false, true}})),
      "Which DB?\n\n1. DB: Which DB?\n\n- SQLite: a file\n\n2. Which port?\n\n"
      "Answer all 2 of them in this form:\n\n```\nQ: DB\nA: ...\nQ: Which port?\nA: ...\n```");
}

TEST(AgainId, Card_LeadsToItsInteraction) {
  EXPECT_EQ(again_id("r/approval/c"), "r/approval/c/again/1");
  EXPECT_EQ(again_id("r/approval/c/again/1"), "r/approval/c/again/2");
  EXPECT_EQ(key_of_again("r/approval/c/again/12"), "r/approval/c");
  for (const char* id : {"r/approval/c", "x/again/", "x/again/1a", "x/again/1234567", ""}) {
    EXPECT_EQ(key_of_again(id), id);
  }
}

}  // namespace
}  // namespace parley::assistant
