// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/danger_mark.h"

#include <gtest/gtest.h>

#include <string>

namespace parley::core {
namespace {

TEST(DangerMark, InFrontOfCommand_Counts) {
  for (const std::string_view mark :
       {kCareful, kNotUnderstood, kCarefulChinese, kNotUnderstoodChinese}) {
    EXPECT_TRUE(has_danger_mark(std::string(mark)));
    EXPECT_TRUE(has_danger_mark("Run?\n\n" + std::string(mark) + " `x`\n\n```sh\nls\n```"));
  }
}

TEST(DangerMark, InCommandOrBehind_DoesNot) {
  for (const std::string_view text :
       {"", "Run?", "Say **Careful:** twice.", "Run?\n```sh\n**Careful:**\n```",
        "````\nls\n````\n**Careful:**", "Careful:"}) {
    EXPECT_FALSE(has_danger_mark(text)) << text;
  }
}

}  // namespace
}  // namespace parley::core
