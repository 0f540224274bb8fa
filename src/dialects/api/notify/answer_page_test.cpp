// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/notify/answer_page.h"

#include <gtest/gtest.h>

namespace parley::api {
namespace {

TEST(PageTextTest, Code_IsCode) {
  EXPECT_EQ(page_text("Run it?\n\n```sh\nmake <x>\n\nmake y\n```\n\nDirectory: `/src`"),
            "<p class=\"text\">Run it?</p><pre>make &lt;x&gt;\n\nmake y\n</pre>"
            "<p class=\"text\">Directory: <code>/src</code></p>");
  EXPECT_EQ(page_text("````\n```\na\n````"), "<pre>```\na\n</pre>")
      << "a fence within a longer one";
}

TEST(PageTextTest, Warning_IsBold) {
  EXPECT_EQ(page_text("**Careful:**\n\n- Deletes: `rm -rf *`"),
            "<p class=\"text\"><strong>Careful:</strong>\n\n- Deletes: <code>rm -rf *</code></p>");
}

TEST(PageTextTest, NothingIsLeftOut) {
  EXPECT_EQ(page_text("```rm -rf ~\nx"), "<p class=\"text\">```rm -rf ~\nx</p>")
      << "words behind the mark of a fence";
  EXPECT_EQ(page_text("a ` b"), "<p class=\"text\">a ` b</p>");
  EXPECT_EQ(page_text("a `` b `c"), "<p class=\"text\">a `` b `c</p>");
  EXPECT_EQ(page_text("rm **/*.o **"), "<p class=\"text\">rm **/*.o **</p>");
  EXPECT_EQ(page_text("```\nopen"), "<pre>open\n</pre>");
  EXPECT_EQ(page_text("<b>`<i>`</b>"),
            "<p class=\"text\">&lt;b&gt;<code>&lt;i&gt;</code>&lt;/b&gt;</p>");
  EXPECT_EQ(page_text(""), "");
}

}  // namespace
}  // namespace parley::api
