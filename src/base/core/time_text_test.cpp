// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/time_text.h"

#include <gtest/gtest.h>

namespace parley::core {
namespace {

const WallTime kAt = from_unix_ms(1'700'000'000'007);  // 2023-11-14T22:13:20.007Z

TEST(TimeText, Times_AreUtcAndCutOff) {
  EXPECT_EQ(time_text(kAt), "2023-11-14T22:13:20Z");
  EXPECT_EQ(time_text_ms(kAt), "2023-11-14T22:13:20.007Z");
  EXPECT_EQ(day_text(kAt), "2023-11-14");
  EXPECT_EQ(time_text(from_unix_ms(0)), "1970-01-01T00:00:00Z");
  EXPECT_EQ(time_text(from_unix_ms(-1)), "1969-12-31T23:59:59Z");
  EXPECT_EQ(time_text_ms(from_unix_ms(-1)), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(time_text_ms(from_unix_ms(951'782'400'000)), "2000-02-29T00:00:00.000Z");
}

TEST(TimeText, WrittenTimes_AreReadBack) {
  EXPECT_EQ(parse_time(time_text(kAt)), kAt - Millis(7));
  EXPECT_EQ(parse_time_ms(time_text_ms(kAt)), kAt);
  EXPECT_EQ(parse_time("2024-02-29T23:59:59Z"), from_unix_ms(1'709'251'199'000));
  EXPECT_EQ(parse_time_ms("0001-01-01T00:00:00.000Z"), from_unix_ms(-62'135'596'800'000));
}

TEST(TimeText, OtherForms_AreRefused) {
  for (const char* text :
       {"", "2023-11-14", "2023-11-14T22:13:20", "2023-11-14T22:13:20z", "2023-11-14 22:13:20Z",
        "2023-02-29T00:00:00Z", "2023-13-01T00:00:00Z", "2023-00-01T00:00:00Z",
        "2023-11-14T24:00:00Z", "2023-11-14T22:60:00Z", "2023-11-14T22:13:60Z",
        "2023-11-14T-1:13:20Z", "2023-11-14T+1:13:20Z", "2023-11-14T 1:13:20Z",
        "-023-11-14T22:13:20Z", "2023-11-14T22:13:20+00:00", "2023-11-14T22:13:20Z "}) {
    EXPECT_FALSE(parse_time(text)) << text;
    EXPECT_FALSE(parse_time_ms(text)) << text;
  }
  EXPECT_FALSE(parse_time(time_text_ms(kAt)));
  EXPECT_FALSE(parse_time_ms(time_text(kAt)));
  EXPECT_FALSE(parse_time_ms("2023-11-14T22:13:20.-07Z"));
  EXPECT_FALSE(parse_time_ms("2023-11-14T22:13:20,007Z"));
}

TEST(TimeText, InvalidDays_AreRefused) {
  for (const char* text : {"2026-11-22", "2028-02-29", "0001-01-01", "9999-12-31"}) {
    const auto day = parse_day(text);
    ASSERT_TRUE(day) << text;
    EXPECT_EQ(day_text(*day), text);
  }
  for (const char* text : {"", "2026-02-29", "2026-04-31", "2026-00-10", "2026-10-00", "2026-1-01",
                           "20261122", "2026/11/22", "26-11-22", "2026-11-22 ", "2026-11-2x"}) {
    EXPECT_FALSE(parse_day(text)) << text;
  }
}

TEST(TimeText, Minutes_AreOfOneDay) {
  EXPECT_EQ(minute_text(std::chrono::minutes(65)), "01:05");
  EXPECT_EQ(minute_text(std::chrono::minutes(0)), "00:00");
  EXPECT_EQ(parse_minute("10:00"), std::chrono::minutes(600));
  EXPECT_EQ(parse_minute("23:59"), std::chrono::minutes(1439));
  for (const char* text : {"", "24:00", "10:60", "1:00", "10.00", "-1:00", "10:00:00"}) {
    EXPECT_FALSE(parse_minute(text)) << text;
  }
}

TEST(TimeText, HttpDates_UseImfFixdate) {
  const WallTime at = from_unix_ms(784'111'777'000);
  EXPECT_EQ(http_date(at), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(at + Millis(999)), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), at);
  for (const char* text : {"", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
                           "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 -1:49:37 GMT",
                           "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 GMT "}) {
    EXPECT_FALSE(parse_http_date(text)) << text;
  }
}

}  // namespace
}  // namespace parley::core
