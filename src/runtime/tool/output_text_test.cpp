// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/output_text.h"

#include <gtest/gtest.h>

namespace parley::tool {
namespace {

TEST(BoundedText, ShortText_StaysWhole) {
  BoundedText text(4, 4);
  text.append("abc");
  text.append("defgh");
  EXPECT_EQ(text.text(), "abcdefgh");
}

TEST(BoundedText, HeadAndTail_AreKept_RestIsCounted) {
  BoundedText text(4, 3);
  for (int i = 0; i < 1'000; ++i) text.append("0123456789");
  EXPECT_EQ(text.total(), 10'000U);
  EXPECT_EQ(text.text(), "0123\n[... 9993 bytes are left out here ...]\n789");
}

TEST(CutText, Cut_IsBetweenCharacters) {
  EXPECT_EQ(cut_text("abc", 3), "abc");
  EXPECT_EQ(cut_text("a\xc3\xbc"
                     "b",
                     2),
            "a\n[... 3 bytes are left out here ...]");
}

}  // namespace
}  // namespace parley::tool
