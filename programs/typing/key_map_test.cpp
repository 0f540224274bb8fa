// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/typing/key_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley::typing {
namespace {

using ::testing::ElementsAre;

// Keys 8 to 11: a and A, with alpha and Alpha in the second group; no meaning; b and B; c, only in
// the second column of the second group.
KeyMap map() {
  return {8, 4, {'a', 'A', 0x3B1, 0x391, 0, 0, 0, 0, 'b', 'B', 'b', 'B', 0, 0, 0, 'c'}};
}

TEST(KeyMap, Key_IsFoundWithShiftState) {
  EXPECT_EQ(map().find('a', 0), (KeyStroke{8, false}));
  EXPECT_EQ(map().find('A', 0), (KeyStroke{8, true}));
  EXPECT_EQ(map().find(0x391, 1), (KeyStroke{8, true}));
}

TEST(KeyMap, Lookup_UsesOnlyActiveGroup) {
  EXPECT_FALSE(map().find('a', 1));
  EXPECT_FALSE(map().find(0x3B1, 0));
  EXPECT_FALSE(map().find('a', 2)) << "the core protocol lists two";
}

TEST(KeyMap, FreeKeys_MeanNothing) {
  EXPECT_THAT(map().free_codes(), ElementsAre(9));
  EXPECT_TRUE(KeyMap(8, 0, {}).free_codes().empty());
}

TEST(Keysym, Keysym_IsLatinCharacterElseCodePoint) {
  EXPECT_EQ(keysym_of(U'a'), 0x61U);
  EXPECT_EQ(keysym_of(U'\u00E9'), 0xE9U);
  EXPECT_EQ(keysym_of(U'\u4F60'), 0x01004F60U);
  EXPECT_EQ(keysym_of(U'\U0001F600'), 0x0101F600U);
}

TEST(Characters, Characters_AreReadFromUtf8) {
  EXPECT_THAT(characters_of("a\xC3\xA9\xE4\xBD\xA0\xF0\x9F\x98\x80"),
              ElementsAre(U'a', U'\u00E9', U'\u4F60', U'\U0001F600'));
}

}  // namespace
}  // namespace parley::typing
