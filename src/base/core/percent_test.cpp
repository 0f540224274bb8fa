// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/percent.h"

#include <gtest/gtest.h>

namespace parley::core {
namespace {

TEST(Percent, Encoded_IsSafeInPath) {
  EXPECT_EQ(percent_encoded(kUnreserved), kUnreserved);
  EXPECT_EQ(percent_encoded("a/b?c#d%\n+ &"), "a%2Fb%3Fc%23d%25%0A%2B%20%26");
  EXPECT_EQ(percent_encoded("\xc3\xbc"), "%C3%BC");
  EXPECT_EQ(percent_encoded("."), "%2E");
  EXPECT_EQ(percent_encoded(".."), "%2E%2E");
  EXPECT_EQ(percent_encoded("..."), "...");
  EXPECT_EQ(percent_encoded(""), "");
}

TEST(Percent, EveryByte_IsReadBack) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    EXPECT_EQ(percent_decoded(percent_encoded(text)), text) << byte;
    EXPECT_EQ(percent_decoded(percent_encoded(text), Plus::space), text) << byte;
  }
  EXPECT_EQ(percent_decoded("%c3%BC"), "\xc3\xbc") << "digits of either case";
}

TEST(Percent, Plus_IsSpaceOnlyInForms) {
  EXPECT_EQ(percent_decoded("a+b%2B"), "a+b+");
  EXPECT_EQ(percent_decoded("a+b%2B", Plus::space), "a b+");
}

TEST(Percent, BrokenEscapes_AreRefused) {
  for (const char* text : {"%", "a%2", "%2", "%g0", "%0g", "%-1", "%%41"}) {
    EXPECT_EQ(percent_decoded(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace parley::core
