// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/markdown_code.h"

#include <gtest/gtest.h>

namespace parley::core {
namespace {

TEST(MarkdownCode, Text_CannotLeaveItsFence) {
  EXPECT_EQ(fenced("sh", "ls"), "```sh\nls\n```");
  EXPECT_EQ(fenced("", "a\n```\nb\n"), "````\na\n```\nb\n````");
  EXPECT_EQ(fenced("", "\xE2\x80\xAE"), "```\n<U+202E>\n```");
}

TEST(MarkdownCode, Line_CannotLeaveItsSpan) { EXPECT_EQ(code_span("a`b`\nc"), "`a'b'<U+000A>c`"); }

}  // namespace
}  // namespace parley::core
