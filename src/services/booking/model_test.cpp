// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/booking/model.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "base/core/time_text.h"

namespace parley::booking {
namespace {

TEST(CalendarDay, Day_IsReadAndWrittenInOneForm) {
  for (const char* text : {"2026-11-22", "2024-02-29", "0001-01-01", "9999-12-31"}) {
    const auto day = parse_day(text);
    ASSERT_TRUE(day.has_value()) << text;
    EXPECT_EQ(format_day(*day), text);
  }
}

TEST(CalendarDay, NonexistentDay_IsRefused) {
  for (const char* text : {"", "2026-02-29", "2026-13-01", "2026-00-10", "2026-1-1", "20261122",
                           "2026-11-2x", "2026/11/22", " 2026-11-22", "+026-11-22"}) {
    EXPECT_FALSE(parse_day(text).has_value()) << text;
  }
}

TEST(CalendarDay, NextDay_CrossesMonthsAndYears) {
  EXPECT_EQ(format_day(*parse_day("2026-12-31") + std::chrono::days(1)), "2027-01-01");
  EXPECT_EQ(format_day(*parse_day("2028-02-28") + std::chrono::days(1)), "2028-02-29");
}

TEST(CalendarDay, Times_AreMinutesSinceMidnight) {
  EXPECT_EQ(parse_time("10:00"), 600);
  EXPECT_EQ(parse_time("23:59"), 1439);
  EXPECT_EQ(format_time(600), "10:00");
  EXPECT_EQ(format_time(65), "01:05");
  for (const char* text : {"", "24:00", "10:60", "1:00", "10-00", "10:0x"}) {
    EXPECT_FALSE(parse_time(text).has_value()) << text;
  }
}

// Sets the time zone of this process; restores it on destruction.
class Zone {
 public:
  explicit Zone(const char* name) {
    if (const char* before = std::getenv("TZ"); before != nullptr) before_ = before;
    ::setenv("TZ", name, 1);
    ::tzset();
  }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;
  ~Zone() {
    if (before_.empty()) {
      ::unsetenv("TZ");
    } else {
      ::setenv("TZ", before_.c_str(), 1);
    }
    ::tzset();
  }

 private:
  std::string before_;
};

TEST(CalendarDay, Today_IsInTheaterTimeZone) {
  const core::WallTime late_in_utc = core::from_unix_ms(1'795'390'200'000);  // 23:30 UTC
  EXPECT_EQ(core::time_text(late_in_utc).substr(10), "T23:30:00Z");
  const std::string utc_day = core::day_text(late_in_utc);
  {
    const Zone seoul("KST-9");
    EXPECT_EQ(local_day(late_in_utc), *parse_day(utc_day) + std::chrono::days(1));
  }
  const Zone new_york("EST5");
  EXPECT_EQ(local_day(late_in_utc), *parse_day(utc_day));
}

}  // namespace
}  // namespace parley::booking
