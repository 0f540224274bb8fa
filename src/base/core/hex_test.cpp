// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/hex.h"

#include <gtest/gtest.h>

#include <array>

namespace parley::core {
namespace {

TEST(Hex, Bytes_AreTwoSmallDigitsEach) {
  EXPECT_EQ(hex_text(""), "");
  EXPECT_EQ(hex_text(std::string_view("\x00\x7f\x80\xff", 4)), "007f80ff");
  EXPECT_EQ(hex_of_digest(std::array<unsigned char, 3>{0xab, 0x01, 0x02}, 2), "ab01");
}

TEST(Hex, Digits_OfEitherCase_HaveValue) {
  for (int value = 0; value < 16; ++value) {
    EXPECT_EQ(hex_value("0123456789abcdef"[value]), value);
    EXPECT_EQ(hex_value("0123456789ABCDEF"[value]), value);
  }
  for (const char c : {'g', 'G', '/', ':', '@', '`', ' ', '\0', '\xff'})
    EXPECT_EQ(hex_value(c), -1);
}

}  // namespace
}  // namespace parley::core
