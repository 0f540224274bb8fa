// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/id.h"

#include <gtest/gtest.h>

#include "tests/support/core/fake_scheduler.h"

namespace parley::core {
namespace {

TEST(NewId, Id_IsUuidVersion7SortedByTime) {
  FakeClock clock;
  SeededEntropy entropy(7);
  const std::string first = new_id(clock, entropy);
  clock.advance(Millis(1));
  const std::string second = new_id(clock, entropy);
  ASSERT_EQ(first.size(), 36U);
  EXPECT_EQ(first[14], '7');
  EXPECT_TRUE(first[19] == '8' || first[19] == '9' || first[19] == 'a' || first[19] == 'b');
  EXPECT_LT(first, second);
}

TEST(IsSafeId, UnsafePathCharacters_AreRefused) {
  EXPECT_TRUE(is_safe_id("s-20260101-001"));
  EXPECT_FALSE(is_safe_id(""));
  EXPECT_FALSE(is_safe_id("."));
  EXPECT_FALSE(is_safe_id(".."));
  EXPECT_FALSE(is_safe_id("a/b"));
  EXPECT_FALSE(is_safe_id(std::string(65, 'a')));
}

}  // namespace
}  // namespace parley::core
