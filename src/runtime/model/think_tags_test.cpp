// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/think_tags.h"

#include <gtest/gtest.h>

#include "base/core/utf8.h"

namespace parley::model {
namespace {

struct Parts {
  std::string reasoning;
  std::string text;
};

Parts split(std::string_view text, std::size_t step) {
  Parts parts;
  ThinkTags tags([&parts](bool reasoning, std::string_view piece) {
    EXPECT_TRUE(core::is_utf8(piece));
    (reasoning ? parts.reasoning : parts.text) += piece;
  });
  for (std::size_t at = 0; at < text.size(); at += step) tags.feed(text.substr(at, step));
  tags.finish();
  return parts;
}

void expect_parts(std::string_view text, std::string_view reasoning, std::string_view rest) {
  for (std::size_t step = 1; step <= text.size(); ++step) {
    const Parts parts = split(text, step);
    EXPECT_EQ(parts.reasoning, reasoning) << text << ", in pieces of " << step;
    EXPECT_EQ(parts.text, rest) << text << ", in pieces of " << step;
  }
}

TEST(ThinkTags, TextBetweenTags_IsReasoning) {
  expect_parts("<think>hm, 好</think>\n\nyes", "hm, 好", "yes");
  expect_parts("\n<think>\nhm\n</think>yes", "hm\n", "yes");
  expect_parts("<think>a</think><think>b</think>c", "ab", "c");
  expect_parts("<think></think>c", "", "c");
}

TEST(ThinkTags, TagElsewhere_IsText) {
  expect_parts("use the <think> tag", "", "use the <think> tag");
  expect_parts("<thin air", "", "<thin air");
  expect_parts("  two blanks", "", "  two blanks");
  expect_parts("a </think> b", "", "a </think> b");
}

TEST(ThinkTags, UnclosedReasoning_StaysReasoning) {
  expect_parts("<think>on and on", "on and on", "");
  expect_parts("<think>on </thi", "on </thi", "");
  expect_parts("<think>", "", "");
  expect_parts("<thi", "", "<thi");
}

TEST(ThinkTags, IllFormedBytes_BecomeReplacementCharacter) {
  expect_parts("a\xFFz", "", "a\xEF\xBF\xBDz");
  expect_parts("a\xE4\xBD", "", "a\xEF\xBF\xBD\xEF\xBF\xBD");
  expect_parts("<think>\xE4\xBD</think>b", "\xEF\xBF\xBD\xEF\xBF\xBD", "b");
}

TEST(ThinkTags, Text_IsPassedOnEarly) {
  std::string text;
  ThinkTags tags([&](bool, std::string_view piece) { text += piece; });
  tags.feed("<th");
  EXPECT_EQ(text, "");
  tags.feed("e");
  EXPECT_EQ(text, "<the");
  tags.feed(" end<");
  EXPECT_EQ(text, "<the end<");
}

}  // namespace
}  // namespace parley::model
