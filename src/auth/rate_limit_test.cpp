// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "auth/rate_limit.h"

#include <gtest/gtest.h>

#include "core/fake_scheduler.h"

namespace parley::auth {
namespace {

TEST(FailureLimit, LetsAPeerFailAFewTimesThenNoMoreUntilTheWindowHasPassed) {
  core::FakeClock clock;
  FailureLimit limit(clock);
  for (std::size_t i = 0; i < kMaxFailures; ++i) EXPECT_TRUE(limit.record("10.0.0.1"));
  EXPECT_FALSE(limit.record("10.0.0.1"));
  clock.advance(kFailureWindow - core::Millis(1));
  EXPECT_FALSE(limit.record("10.0.0.1"));
  clock.advance(core::Millis(1));
  EXPECT_TRUE(limit.record("10.0.0.1"));
}

TEST(FailureLimit, CountsEachPeerByItself) {
  core::FakeClock clock;
  FailureLimit limit(clock);
  for (std::size_t i = 0; i <= kMaxFailures; ++i) limit.record("10.0.0.1");
  EXPECT_FALSE(limit.record("10.0.0.1"));
  EXPECT_TRUE(limit.record("10.0.0.2"));
}

TEST(FailureLimit, RemembersABoundedNumberOfPeers) {
  core::FakeClock clock;
  FailureLimit limit(clock);
  for (std::size_t i = 0; i < kMaxFailingPeers + 100; ++i) {
    EXPECT_TRUE(limit.record("peer-" + std::to_string(i)));
  }
  EXPECT_EQ(limit.peers(), kMaxFailingPeers);
  clock.advance(kFailureWindow);
  limit.record("another");
  EXPECT_EQ(limit.peers(), 1U);
}

}  // namespace
}  // namespace parley::auth
