// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/ascii.h"

#include <gtest/gtest.h>

namespace parley::core {
namespace {

TEST(Ascii, Lowercase_ChangesAsciiOnly) {
  EXPECT_EQ(lowered("Content-TYPE @[`{ 9"), "content-type @[`{ 9");
  EXPECT_EQ(lowered("\xc3\x84gypten"), "\xc3\x84gypten");
  EXPECT_EQ(lowered(""), "");
}

TEST(Ascii, Blanks_AreTrimmedOnlyAtEnds) {
  EXPECT_EQ(trimmed(" \t a  b\r\n"), "a  b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \r\n\t "), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Ascii, Caller_ChoosesTrimmedCharacters) {
  EXPECT_EQ(trimmed("--x- -", "-"), "x- ");
  EXPECT_EQ(trimmed(" x ", ""), " x ");
}

TEST(Ascii, Nul_IsFoundAnywhere) {
  EXPECT_TRUE(has_nul(std::string_view("a\0b", 3)));
  EXPECT_TRUE(has_nul(std::string_view("\0", 1)));
  EXPECT_FALSE(has_nul("a/b"));
  EXPECT_FALSE(has_nul(""));
}

}  // namespace
}  // namespace parley::core
