// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/expiry.h"

#include <gtest/gtest.h>

#include "base/core/time_text.h"

namespace parley::api {
namespace {

const core::WallTime kNow = core::from_unix_ms(1'700'000'000'000);  // 2023-11-14T22:13:20Z

TEST(Expiry, Expiry_IsSpanDayOrInstant) {
  EXPECT_EQ(*parse_expiry("90s", kNow), kNow + std::chrono::seconds(90));
  EXPECT_EQ(*parse_expiry("30d", kNow), kNow + std::chrono::days(30));
  EXPECT_EQ(core::time_text(*parse_expiry("2024-02-29", kNow)), "2024-02-29T00:00:00Z");
  EXPECT_EQ(core::time_text(*parse_expiry("2030-12-31T23:59:59Z", kNow)), "2030-12-31T23:59:59Z");
}

TEST(Expiry, OtherText_IsRefused) {
  for (const char* text :
       {"", "d", "30", "30w", "-1d", "1.5h", "2023-02-29", "2030-13-01", "2030-12-31 23:59:59Z",
        "2030-12-31T24:00:00Z", "2030-12-31T23:59:59+1", "999999999999d", "tomorrow"}) {
    EXPECT_FALSE(parse_expiry(text, kNow).has_value()) << text;
  }
}

TEST(Expiry, PastExpiry_IsRefused) {
  EXPECT_FALSE(parse_expiry("2020-01-01", kNow).has_value());
  EXPECT_FALSE(parse_expiry("0s", kNow).has_value());
}

}  // namespace
}  // namespace parley::api
