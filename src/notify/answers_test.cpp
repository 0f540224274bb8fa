// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "notify/answers.h"

#include <gtest/gtest.h>

#include "session/notice_key.h"

namespace parley::notify {
namespace {

TEST(AnswersTest, NoticeOfAgent_HasItsOwnTitleAndButton) {
  session::Interaction told;
  told.kind = session::InteractionKind::task_finish;
  told.key = session::notice_key("failed", "1", "s");
  told.prompt.agent_name = "Coder";
  told.prompt.text = "The build failed\n\nwith 2";
  EXPECT_EQ(notice_title(told, Language::english), "Coder: The build failed");
  const auto answers = quick_answers(told, Language::english);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers.front().label, "OK");
  told.key = "k";
  EXPECT_EQ(notice_title(told, Language::english), "Task finished by Coder");
  EXPECT_EQ(quick_answers(told, Language::english).front().label, "Confirm");
}

}  // namespace
}  // namespace parley::notify
