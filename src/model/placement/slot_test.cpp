// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/placement/slot.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace parley::placement {
namespace {

TEST(SlotTest, PlacementKey_IsBehindTheLastDot) {
  EXPECT_EQ(placement_key("a.k7"), "k7");
  EXPECT_EQ(placement_key("a.b.k7"), "k7");
  EXPECT_EQ(placement_key("k7"), "k7");
}

// Nodes of other releases rely on these.
TEST(SlotTest, Hash_IsFnv1a) {
  EXPECT_EQ(stable_hash(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(stable_hash("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(slot_of("a"), (0xaf63dc4c8601ec8cULL ^ 0xaf63dc4cULL) % kSlots);
}

TEST(SlotTest, Owners_AreSpreadEvenly) {
  std::vector<int> counts(kSlots);
  for (int i = 0; i < 64 * static_cast<int>(kSlots); ++i) {
    ++counts[slot_of("owner-" + std::to_string(i))];
  }
  for (const int count : counts) {
    EXPECT_GT(count, 16);
    EXPECT_LT(count, 160);
  }
}

}  // namespace
}  // namespace parley::placement
