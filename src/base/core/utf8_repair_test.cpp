// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/utf8_repair.h"

#include <gtest/gtest.h>

#include "base/core/utf8.h"

namespace parley::core {
namespace {

TEST(RepairedUtf8, EachIllFormedByte_IsReplaced) {
  EXPECT_EQ(repaired_utf8("a\xe4\xb8\xad"), "a\xe4\xb8\xad");
  EXPECT_EQ(repaired_utf8("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(repaired_utf8("a\xe4\xb8"), "a\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(repaired_utf8(""), "");
}

TEST(Utf8Stream, CharacterCutAnywhere_ComesWhole) {
  const std::string text = "a\xc3\xbc\xe4\xb8\xad\xf0\x9f\x8c\x8dz";
  for (std::size_t first = 0; first <= text.size(); ++first) {
    for (std::size_t second = first; second <= text.size(); ++second) {
      Utf8Stream stream;
      std::string out = stream.feed(text.substr(0, first));
      EXPECT_TRUE(is_utf8(out));
      out += stream.feed(text.substr(first, second - first));
      out += stream.feed(text.substr(second));
      EXPECT_EQ(out + stream.finish(), text);
    }
  }
}

TEST(Utf8Stream, IllFormedBytes_AreReplacedAtOnce) {
  Utf8Stream stream;
  EXPECT_EQ(stream.feed("a\xff"
                        "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(stream.feed("\xed\xa0"), "\xef\xbf\xbd\xef\xbf\xbd") << "no surrogate goes on";
  EXPECT_EQ(stream.feed("\xe4\xb8"), "");
  EXPECT_EQ(stream.finish(), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(stream.finish(), "");
}

}  // namespace
}  // namespace parley::core
