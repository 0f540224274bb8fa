// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/find_part.h"

#include <gtest/gtest.h>

#include <string>

namespace parley::core {
namespace {

TEST(FindPartTest, Positions_AreThoseOfFind) {
  const std::string nul("a\0b", 3);
  for (const std::string text : {"", "a", "ab", "abab", "aabaab", "\nQ: \nQ: x"}) {
    for (const std::string part : {"", "a", "b", "ab", "aab", "abab", "\nQ: x", "abc"}) {
      for (std::size_t from = 0; from <= text.size() + 1; ++from) {
        EXPECT_EQ(find_part(text, part, from), text.find(part, from)) << text << "|" << part;
      }
    }
  }
  EXPECT_EQ(find_part(nul, "b"), 2U);
  EXPECT_TRUE(has_part(nul, std::string_view("\0b", 2)));
  EXPECT_EQ(find_part({}, {}), 0U);
}

TEST(FindPartTest, LongParts_AreFoundAsShortOnes) {
  for (std::size_t size = 60; size < 70; ++size) {
    const std::string part(size, 'p');
    const std::string text = "pp-" + part + "-" + part;
    EXPECT_EQ(find_part(text, part), 3U);
    EXPECT_EQ(find_part(text, part, 4), 4U + size);
    EXPECT_EQ(find_part(text, part, 5 + size), std::string_view::npos);
    EXPECT_EQ(find_part(text, part + "q"), std::string_view::npos);
  }
}

// With a search that begins anew at each position, this test takes more than ten seconds.
TEST(FindPartTest, RepeatingText_IsSearchedInOneGo) {
  const std::string text(1U << 20U, 'a');
  const std::string half(text.size() / 2, 'a');
  EXPECT_FALSE(has_part(text, half + "b"));
  EXPECT_FALSE(has_part(text, "b" + half));
  EXPECT_EQ(find_part(text, half, 7), 7U);
}

}  // namespace
}  // namespace parley::core
