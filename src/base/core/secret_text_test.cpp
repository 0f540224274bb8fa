// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/secret_text.h"

#include <gtest/gtest.h>

namespace parley::core {
namespace {

TEST(WithoutSecret, EveryPlace_IsMasked) {
  EXPECT_EQ(without_secret("key k-1 is not k-1", "k-1"), "key *** is not ***");
  EXPECT_EQ(without_secret("no key", "k-1"), "no key");
  EXPECT_EQ(without_secret("k-1", "k-1"), "***");
}

TEST(WithoutSecret, SecretWithinMask_Terminates) {
  EXPECT_EQ(without_secret("a*b", "*"), "a***b");
  EXPECT_EQ(without_secret("a**b", "**"), "a***b");
}

TEST(WithoutSecret, EmptySecret_ChangesNothing) { EXPECT_EQ(without_secret("text", ""), "text"); }

}  // namespace
}  // namespace parley::core
