// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/corrected_clock.h"

#include <gtest/gtest.h>

#include "tests/support/core/fake_scheduler.h"

namespace parley::core {
namespace {

constexpr Millis kHour = std::chrono::hours(1);

TEST(CorrectedClock, SmallDifference_IsLeftAlone) {
  const FakeClock source;
  CorrectedClock clock(source);
  EXPECT_FALSE(clock.correct(source.wall() + CorrectedClock::kTolerance - Millis(1)));
  EXPECT_EQ(clock.wall(), source.wall());
}

TEST(CorrectedClock, WrongClock_IsCorrectedOnce_AndGoesOn) {
  FakeClock source;
  CorrectedClock clock(source);
  const MonoTime mono = clock.mono();
  EXPECT_TRUE(clock.correct(source.wall() - kHour));
  EXPECT_EQ(clock.wall(), source.wall() - kHour);
  EXPECT_EQ(clock.correction(), -kHour);
  EXPECT_EQ(clock.mono(), mono) << "waits are as long as before";
  source.advance(Millis(250));
  EXPECT_FALSE(clock.correct(source.wall() - kHour + Millis(3)));
  EXPECT_EQ(clock.wall(), source.wall() - kHour);
}

TEST(CorrectedClock, SourceThatIsSetRight_IsFollowed) {
  FakeClock source;
  CorrectedClock clock(source);
  const WallTime right = source.wall();
  source.set_wall(right + kHour);
  EXPECT_TRUE(clock.correct(right));
  source.set_wall(right);
  EXPECT_TRUE(clock.correct(right));
  EXPECT_EQ(clock.wall(), right);
  EXPECT_EQ(clock.correction(), Millis(0));
}

}  // namespace
}  // namespace parley::core
