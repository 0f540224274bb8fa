// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/sha256.h"

#include <gtest/gtest.h>

namespace parley::core {
namespace {

TEST(Sha256, OfKnownTexts_IsThatOfTheStandard) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, HexForm_Is64DigitsInLowerCase) {
  EXPECT_TRUE(is_sha256_hex(sha256_hex("x")));
  EXPECT_FALSE(is_sha256_hex(""));
  EXPECT_FALSE(is_sha256_hex(std::string(63, '0')));
  EXPECT_FALSE(is_sha256_hex(std::string(64, 'A')));
}

}  // namespace
}  // namespace parley::core
