// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/base64.h"

#include <gtest/gtest.h>

namespace parley::core {
namespace {

TEST(Base64, Rfc4648Vectors_AreEncoded) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64_encode(std::string_view("\xff\xfe\x00", 3)), "//4A");
}

TEST(Base64, UrlForm_HasOwnAlphabet_NoPadding) {
  EXPECT_EQ(base64url_encode("\xfb\xff\xfe"), "-__-");
  EXPECT_EQ(base64url_encode("f"), "Zg");
  EXPECT_EQ(base64url_encode(""), "");
  EXPECT_EQ(base64_decode(base64url_encode("\xff\xee")), "\xff\xee");
}

TEST(Base64, StrictCheck_NeedsPaddingAndSingleAlphabet) {
  for (const char* text : {"", "Zm8=", "Zg==", "+/8="}) EXPECT_TRUE(is_base64(text)) << text;
  for (const char* text :
       {"Zm8", "Z===", "Z=8=", "-_8=", "Zm9v\n", "Zm9vYm\r\n", "data:image/png;base64,Zm8="}) {
    EXPECT_FALSE(is_base64(text)) << text;
  }
}

TEST(Base64, BothAlphabets_AreReadWithAndWithoutPadding) {
  const std::string bytes = "\xfb\xff\xfe";
  EXPECT_EQ(base64_decode("+//+"), bytes);
  EXPECT_EQ(base64_decode("-__-"), bytes);
  EXPECT_EQ(base64_decode("Zg"), "f");
}

TEST(Base64, InvalidText_IsRefused) { EXPECT_EQ(base64_decode("a*b!"), std::nullopt); }

TEST(Base64, ClientVariants_AreRead) {
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
