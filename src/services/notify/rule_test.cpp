// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/rule.h"

#include <gtest/gtest.h>

namespace parley::notify {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// 2023-11-14 22:13:20 UTC.
const core::WallTime kEvening = core::from_unix_ms(1'700'000'000'000);
seconds utc(core::WallTime) { return seconds(0); }

session::Interaction interaction_of(core::Millis wait) {
  session::Interaction created;
  created.opened_at = kEvening;
  created.deadline = kEvening + wait;
  return created;
}

TEST(Glob, Pattern_FitsWholeText) {
  EXPECT_TRUE(fits_glob("*", ""));
  EXPECT_TRUE(fits_glob("web-*", "web-shop"));
  EXPECT_TRUE(fits_glob("*shop*", "/srv/x/web-shop/src"));
  EXPECT_TRUE(fits_glob("a?c", "abc"));
  EXPECT_FALSE(fits_glob("a?c", "ac"));
  EXPECT_FALSE(fits_glob("web", "web-shop"));
  EXPECT_TRUE(fits_glob("*a*b*a", "xxabxbxa"));
  EXPECT_FALSE(fits_glob("*a*b*a", "xxabxb"));
}

TEST(QuietHours, Text_IsParsedStrictly) {
  EXPECT_EQ(QuietHours::parse("22:00-07:30").value(), (QuietHours{hours(22), minutes(450)}));
  EXPECT_EQ(QuietHours::parse("none").value(), QuietHours{});
  for (const char* wrong : {"22-7", "22:00", "25:00-07:00", "22:00-07:00x", "a"}) {
    EXPECT_FALSE(QuietHours::parse(wrong)) << wrong;
  }
}

TEST(QuietHours, Notice_WaitsForTheirEnd) {
  const QuietHours night{hours(22), hours(7)};
  EXPECT_EQ(after_quiet(night, kEvening, utc), core::from_unix_ms(1'700'031'600'000));  // 07:00
  EXPECT_EQ(after_quiet(night, kEvening - hours(1), utc), kEvening - hours(1));
  // Past midnight; in another zone it is not night yet.
  EXPECT_EQ(after_quiet(night, kEvening + hours(4), utc), core::from_unix_ms(1'700'031'600'000));
  const auto behind = [](core::WallTime) { return seconds(-3'600); };
  EXPECT_EQ(after_quiet(night, kEvening, behind), kEvening);
  EXPECT_EQ(after_quiet(QuietHours{}, kEvening, utc), kEvening);
}

TEST(Rule, When_DecidesTimeOfNotice) {
  const auto question = interaction_of(hours(1));
  EXPECT_EQ(due_at({When::at_once, minutes(5)}, question, utc), kEvening);
  EXPECT_EQ(due_at({When::unseen, minutes(5)}, question, utc), kEvening + minutes(5));
  EXPECT_EQ(due_at({When::deadline, minutes(5)}, question, utc), kEvening + minutes(55));
  EXPECT_EQ(due_at({When::deadline, hours(5)}, question, utc), kEvening) << "never before it opens";
  EXPECT_EQ(due_at({When::unseen, hours(2)}, question, utc), std::nullopt);
  EXPECT_EQ(due_at({When::at_once, {}, {hours(22), hours(7)}}, question, utc), std::nullopt);
}

TEST(Rule, Filters_NameProjectAgentToken) {
  session::Prompt prompt;
  prompt.project_directory = "/srv/ann/web-shop/";
  prompt.agent_name = "reviewer";
  prompt.client_name = "Cursor";
  Rule rule;
  EXPECT_TRUE(fits(rule, prompt, "id-1", "default"));
  rule.projects = {"other", "web-*"};
  EXPECT_TRUE(fits(rule, prompt, "id-1", "default"));
  rule.agents = {"Cur*"};
  EXPECT_TRUE(fits(rule, prompt, "id-1", "default"));
  rule.tokens = {"work"};
  EXPECT_FALSE(fits(rule, prompt, "id-1", "default"));
  rule.tokens = {"id-1"};
  EXPECT_TRUE(fits(rule, prompt, "id-1", "default"));
  prompt.project_directory = "C:\\work\\web-shop";
  EXPECT_TRUE(fits(rule, prompt, "id-1", "default"));
  rule.projects = {"/opt/*"};
  EXPECT_FALSE(fits(rule, prompt, "id-1", "default"));
}

}  // namespace
}  // namespace parley::notify
