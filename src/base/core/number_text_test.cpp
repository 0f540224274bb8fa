// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/number_text.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace parley::core {
namespace {

TEST(ParseNumber, WholeText_IsTheNumber) {
  EXPECT_EQ(parse_number<std::int64_t>("-12"), -12);
  EXPECT_EQ(parse_number<std::uint16_t>("65535"), 65'535);
  EXPECT_EQ(parse_number<std::uint32_t>("ff", 16), 255U);
  EXPECT_EQ(parse_number<double>("0.5"), 0.5);
}

TEST(ParseNumber, OtherText_IsNone) {
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "x", "-"}) {
    EXPECT_FALSE(parse_number<std::int64_t>(text)) << text;
  }
  EXPECT_FALSE(parse_number<std::int64_t>(std::string_view()));
  EXPECT_FALSE(parse_number<std::uint16_t>("65536"));
  EXPECT_FALSE(parse_number<std::uint16_t>("-1"));
}

}  // namespace
}  // namespace parley::core
