// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/notice_key.h"

#include <gtest/gtest.h>

namespace parley::session {
namespace {

TEST(NoticeKeyTest, Parse_OwnKey_KindAndReplace) {
  const std::string key = notice_key("idle", "0123", "claude:s1");
  const auto parsed = parse_notice_key(key);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->kind, "idle");
  EXPECT_EQ(parsed->replace, "claude:s1");
  EXPECT_EQ(parse_notice_key(notice_key("done", "0123", ""))->replace, "");
}

TEST(NoticeKeyTest, Parse_OtherKeys_Nothing) {
  for (const std::string_view key : {"", "notice:", "notice:done", "notice:done:1",
                                     "notice:odd:1:x", "a:notice:done:1:", "question"}) {
    EXPECT_FALSE(parse_notice_key(key)) << key;
  }
}

}  // namespace
}  // namespace parley::session
