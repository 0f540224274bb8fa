// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/search/snippet.h"

#include <gtest/gtest.h>

#include "base/core/utf8.h"
#include "base/sql/text_index.h"

namespace parley::search {
namespace {

// The parts with the matches in brackets.
std::string marked(std::string_view text, std::string_view query) {
  std::string out;
  for (const SnippetPart& part : snippet(text, sql::TextIndex::words(query))) {
    EXPECT_TRUE(core::is_utf8(part.text));
    out += part.match ? "[" + part.text + "]" : part.text;
  }
  return out;
}

TEST(Snippet, Words_AreMarkedAtTheirBeginning) {
  EXPECT_EQ(marked("The shop opens; the workshop does not.", "SHOP open"),
            "The [shop] [opens]; the workshop does not.");
  EXPECT_EQ(marked("一家店周日开店", "开店"), "一家店周日[开店]");
  EXPECT_EQ(marked("Nothing\n\n of  this", "x"), "Nothing of this");
  EXPECT_EQ(marked("", "x"), "");
}

TEST(Snippet, LongText_IsCutAroundFirstMatch) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "filler ";
  text += "needle ";
  for (int i = 0; i < 200; ++i) text += "filler ";
  const std::string found = marked(text, "needle");
  EXPECT_TRUE(found.starts_with("… filler"));
  EXPECT_NE(found.find("[needle]"), std::string::npos);
  EXPECT_TRUE(found.ends_with(" …"));
  EXPECT_LT(found.size(), kMaxSnippetBytes + 20);
}

TEST(Snippet, LongChineseText_IsCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "字";
  EXPECT_NE(marked(text + "针" + text, "针").find("[针]"), std::string::npos);
}

}  // namespace
}  // namespace parley::search
