// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/channels.h"

#include <gmock/gmock.h>

#include "base/core/temp_folder.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/http_client/fake_fetcher.h"

namespace parley::notify {
namespace {

using ::testing::HasSubstr;

class ChannelsTest : public testing::Test {
 protected:
  core::Result<std::vector<NotificationPlanner::Channel>> make(const NotifySettings& settings) {
    return make_channels(settings, {fetcher_, entropy_, scheduler_, *store_, nullptr, ""});
  }
  static NotifySettings with_ntfy(std::initializer_list<std::string> names) {
    NotifySettings settings;
    for (const std::string& name : names) {
      settings.ntfy.push_back(
          {{name, "https://ntfy.sh/t"}, {"unseen", core::Millis(5), "", {}, {}, {}}});
    }
    return settings;
  }

  core::TempFolder folder_;
  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{1};
  http_client::FakeFetcher fetcher_;
  std::unique_ptr<NotifyStore> store_ = std::move(*NotifyStore::open(folder_.path()));
};

TEST_F(ChannelsTest, QuietHours_AreInheritedUnlessGiven) {
  NotifySettings settings = with_ntfy({"a", "b", "c"});
  settings.quiet_hours = "22:00-07:00";
  settings.ntfy[1].rule.quiet_hours = "none";
  settings.ntfy[2].rule.quiet_hours = "12:00-13:00";
  const auto channels = make(settings);
  ASSERT_TRUE(channels) << channels.error().message;
  EXPECT_EQ((*channels)[0].rule.quiet, QuietHours::parse("22:00-07:00").value());
  EXPECT_EQ((*channels)[1].rule.quiet, QuietHours{});
  EXPECT_EQ((*channels)[2].rule.quiet, QuietHours::parse("12:00-13:00").value());
  EXPECT_EQ((*channels)[0].rule.when, When::unseen);
}

TEST_F(ChannelsTest, WrongSetting_IsNamed) {
  NotifySettings settings = with_ntfy({"phone"});
  settings.ntfy[0].rule.quiet_hours = "late";
  EXPECT_THAT(make(settings).error().message,
              HasSubstr("The ntfy notifier \"phone\", quiet_hours: Quiet hours must"));
  for (const auto& names : {with_ntfy({"a", "a"}), with_ntfy({"push"}), with_ntfy({"a b"})}) {
    const auto channels = make(names);
    ASSERT_FALSE(channels);
    EXPECT_EQ(channels.error().field, "name");
  }
}

}  // namespace
}  // namespace parley::notify
