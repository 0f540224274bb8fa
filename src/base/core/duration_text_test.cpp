// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/duration_text.h"

#include <gtest/gtest.h>

namespace parley::core {
namespace {

TEST(DurationText, Halves_GoUp) {
  EXPECT_EQ(rounded_seconds(Millis(0)), 0);
  EXPECT_EQ(rounded_seconds(Millis(499)), 0);
  EXPECT_EQ(rounded_seconds(Millis(500)), 1);
  EXPECT_EQ(rounded_seconds(Millis(7'499)), 7);
  EXPECT_EQ(rounded_seconds(Millis(7'500)), 8);
}

TEST(DurationText, Tenths_AreRoundedSameWay) {
  EXPECT_EQ(tenths_text(Millis(0)), "0.0 s");
  EXPECT_EQ(tenths_text(Millis(149)), "0.1 s");
  EXPECT_EQ(tenths_text(Millis(150)), "0.2 s");
  EXPECT_EQ(tenths_text(Millis(59'960)), "60.0 s");
}

TEST(DurationText, ConfiguredTimes_AreExact) {
  EXPECT_EQ(exact_text(Millis(15'000)), "15 s");
  EXPECT_EQ(exact_text(Millis(1'500)), "1500 ms");
}

}  // namespace
}  // namespace parley::core
