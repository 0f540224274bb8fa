// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/append_within.h"

#include <gtest/gtest.h>

namespace parley::core {
namespace {

TEST(AppendWithin, Growth_DoublesUpToEnd) {
  constexpr std::size_t kEnd = 100'000;
  const std::string piece(1'000, 'x');
  std::string text;
  std::size_t growths = 0;
  for (std::size_t i = 0; i < kEnd / piece.size(); ++i) {
    const std::size_t room = text.capacity();
    append_within(text, piece, kEnd);
    growths += text.capacity() != room ? 1U : 0U;
    EXPECT_LE(text.capacity(), kEnd);
  }
  EXPECT_EQ(text, std::string(kEnd, 'x'));
  EXPECT_LT(growths, 10U);
}

TEST(AppendWithin, MoreThanExpected_IsTaken) {
  std::string text;
  append_within(text, std::string(100, 'x'), 10);
  EXPECT_EQ(text.size(), 100U);
}

}  // namespace
}  // namespace parley::core
