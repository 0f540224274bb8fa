// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/output_text.h"

#include <gtest/gtest.h>

#include "core/utf8.h"

namespace parley::tool {
namespace {

TEST(Utf8Stream, ACharacterCutAnywhereComesWhole) {
  const std::string text = "a\xc3\xbc\xe4\xb8\xad\xf0\x9f\x8c\x8dz";
  for (std::size_t first = 0; first <= text.size(); ++first) {
    for (std::size_t second = first; second <= text.size(); ++second) {
      Utf8Stream stream;
      std::string out = stream.feed(text.substr(0, first));
      EXPECT_TRUE(core::is_utf8(out));
      out += stream.feed(text.substr(first, second - first));
      out += stream.feed(text.substr(second));
      EXPECT_EQ(out + stream.finish(), text);
    }
  }
}

TEST(Utf8Stream, IllFormedBytesAreReplacedAtOnceAndWhatIsCutAtTheEnd) {
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

TEST(BoundedText, KeepsAShortTextWhole) {
  BoundedText text(4, 4);
  text.append("abc");
  text.append("defgh");
  EXPECT_EQ(text.text(), "abcdefgh");
}

TEST(BoundedText, KeepsHeadAndTailAndCountsTheRest) {
  BoundedText text(4, 3);
  for (int i = 0; i < 1'000; ++i) text.append("0123456789");
  EXPECT_EQ(text.total(), 10'000U);
  EXPECT_EQ(text.text(), "0123\n[... 9993 bytes are left out here ...]\n789");
}

TEST(CutText, CutsBetweenCharacters) {
  EXPECT_EQ(cut_text("abc", 3), "abc");
  EXPECT_EQ(cut_text("a\xc3\xbc"
                     "b",
                     2),
            "a\n[... 3 bytes are left out here ...]");
}

}  // namespace
}  // namespace parley::tool
