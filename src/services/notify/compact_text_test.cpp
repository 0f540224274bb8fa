// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/compact_text.h"

#include <gtest/gtest.h>

namespace parley::notify {
namespace {

TEST(CompactText, CommandOfOneLine_IsASpan_BlankLinesGo) {
  EXPECT_EQ(compact_text("Wants to run a command.\n\n```sh\nnpm test\n```\n\n- Programs: `npm`\n\n"
                         "Directory: `/h`"),
            "Wants to run a command.\n`npm test`\n- Programs: `npm`\nDirectory: `/h`");
  EXPECT_EQ(compact_text("````sh\necho ```\n````"), "```` echo ``` ````");
}

TEST(CompactText, LinesOfAFence_StayAsTheyAre) {
  for (const std::string_view text :
       {"```sh\na\n\nb\n```", "```\n\n```", "````\n```\n\nx\n````", "```sh\na\n\nDirectory: `/h`",
        "```\n```", "a `b` c", "", "```x`\ny"}) {
    EXPECT_EQ(compact_text(text), text);
  }
}

TEST(CompactText, NoWordIsLeftOut) {
  EXPECT_EQ(compact_text("a\n \n\t\n\nb\n\n```\nc\n```\n\n```\nd\ne\n```\nf\n"),
            "a\nb\n`c`\n```\nd\ne\n```\nf");
}

}  // namespace
}  // namespace parley::notify
