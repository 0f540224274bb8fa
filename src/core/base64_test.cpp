// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "core/base64.h"

#include <gtest/gtest.h>

namespace parley::core {
namespace {

TEST(Base64, EncodesTheVectorsOfRfc4648) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foobar"), "Zm9vYmFy");
}

TEST(Base64, ReadsBothAlphabetsWithAndWithoutPadding) {
  const std::string bytes = "\xfb\xff\xfe";
  EXPECT_EQ(base64_decode("+//+"), bytes);
  EXPECT_EQ(base64_decode("-__-"), bytes);
  EXPECT_EQ(base64_decode("Zg"), "f");
}

TEST(Base64, RefusesWhatIsNotBase64) { EXPECT_EQ(base64_decode("a*b!"), std::nullopt); }

TEST(Base64, ReadsWhatClientsWrite) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64_decode("Zm9vYmFy"), "foobar");
  EXPECT_EQ(base64_decode("Zm8"), "fo") << "padding left out";
  EXPECT_EQ(base64_decode("Zm9v\r\nYmFy\n"), "foobar") << "wrapped lines";
  EXPECT_EQ(base64_decode("-_8="), base64_decode("+/8=")) << "the URL alphabet";
  for (const char* bad : {"Z", "Zm9=v", "Zm=", "Z===", "Zm9v*"}) {
    EXPECT_EQ(base64_decode(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace parley::core
