// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/loop/send_limit.h"

#include <gtest/gtest.h>

namespace parley::net {
namespace {

constexpr std::size_t kLimit = 1'000;

TEST(SendLimit, LargerMessage_BehindRestOfAnother_IsTaken) {
  SendLimit limit;
  EXPECT_TRUE(limit.admit(0, 0, 5'000, kLimit));
  EXPECT_FALSE(limit.admit(5'000, 1'200, 5'000, kLimit));
  EXPECT_TRUE(limit.admit(5'000, 200, 5'000, kLimit));
  EXPECT_TRUE(limit.admit(10'000, 5'200, 800, kLimit));
  EXPECT_FALSE(limit.admit(10'800, 6'000, 1, kLimit)) << "the rest counts";
}

}  // namespace
}  // namespace parley::net
