// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/auth/token_watch.h"

#include <gtest/gtest.h>

#include "tests/support/core/fake_scheduler.h"

namespace parley::auth {
namespace {

TEST(TokenWatch, EndInWorkspace_IsToldToItsConnections) {
  core::FakeClock clock;
  core::FakeScheduler scheduler(clock);
  TokenWatchers watchers;
  int first = 0;
  int second = 0;
  int other = 0;
  const auto one = watchers.watch("a", scheduler, [&first] { ++first; });
  const auto two = watchers.watch("a", scheduler, [&second] { ++second; });
  const auto three = watchers.watch("b", scheduler, [&other] { ++other; });
  watchers.tell("a");
  EXPECT_EQ(first, 0);
  scheduler.run_ready();
  watchers.tell("a");
  scheduler.run_ready();
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 2);
  EXPECT_EQ(other, 0);
}

TEST(TokenWatch, DestroyedConnection_IsNotTold_LeavesNothing) {
  core::FakeClock clock;
  core::FakeScheduler scheduler(clock);
  TokenWatchers watchers;
  int told = 0;
  auto watch = watchers.watch("a", scheduler, [&told] { ++told; });
  EXPECT_EQ(watchers.size(), 1U);
  watch.reset();
  EXPECT_EQ(watchers.size(), 0U);
  watchers.tell("a");
  scheduler.run_ready();
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace parley::auth
