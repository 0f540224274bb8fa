// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/line_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace parley::core {
namespace {

using testing::ElementsAre;

std::vector<std::string> split(LineSplitter& splitter, std::string_view bytes) {
  std::vector<std::string> lines;
  splitter.feed(bytes, [&](std::string_view text, bool too_long) {
    lines.emplace_back(too_long ? "TOO LONG" : std::string(text));
  });
  return lines;
}

TEST(LineSplitter, Pieces_AreJoinedAndCutAtLineEnds) {
  LineSplitter splitter(4);
  EXPECT_THAT(split(splitter, "ab"), ElementsAre());
  EXPECT_THAT(split(splitter, "c\r\nde\n\nf"), ElementsAre("abc", "de", ""));
  std::string last;
  splitter.finish([&](std::string_view text, bool) { last = text; });
  EXPECT_EQ(last, "f");
}

TEST(LineSplitter, OverlongLine_IsSkipped_ReportedOnce) {
  LineSplitter splitter(4);
  EXPECT_THAT(split(splitter, "abcde"), ElementsAre("TOO LONG"));
  EXPECT_THAT(split(splitter, "fghijklm"), ElementsAre());
  EXPECT_THAT(split(splitter, "n\nok\nfour\n"), ElementsAre("ok", "four"));
}

}  // namespace
}  // namespace parley::core
