// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/held_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/mcp/tool_result.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/mcp/fake_assistant_calls.h"

namespace parley::mcp {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

class HeldCallsTest : public testing::Test {
 protected:
  // The text of the call's end is appended to `said_`.
  CallId ask() { return start({}); }
  CallId await(const std::string& id) {
    AssistantCall call;
    call.kind = AssistantCall::Kind::await_answer;
    call.text = id;
    return start(std::move(call));
  }
  CallId start(AssistantCall call) {
    return held_.start(std::move(call), [this](const AssistantOutcome& outcome) {
      said_.push_back(plain_text(*outcome));
      is_error_ = outcome->is_error;
    });
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  FakeAssistantCalls calls_;
  HeldCalls held_{scheduler_, calls_, seconds(50)};
  std::vector<std::string> said_;
  bool is_error_ = false;
};

TEST_F(HeldCallsTest, EarlyAnswer_IsPassedOn) {
  ask();
  scheduler_.advance(seconds(49));
  calls_.answer(1, core::text_answer("yes"));
  EXPECT_EQ(said_, std::vector<std::string>{"yes"});
  EXPECT_EQ(held_.questions(), 0U);
  scheduler_.advance(seconds(500));
  EXPECT_EQ(said_.size(), 1U);
}

TEST_F(HeldCallsTest, LongWait_GoesOnWithAwaitAnswer) {
  ask();
  scheduler_.advance(seconds(50));
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_THAT(said_[0], HasSubstr("await_answer with id \"1\""));
  EXPECT_FALSE(is_error_);
  for (int i = 0; i < 3; ++i) {
    scheduler_.advance(seconds(119));
    await("1");
    scheduler_.advance(seconds(50));
  }
  EXPECT_EQ(said_.size(), 4U);
  EXPECT_TRUE(calls_.cancelled.empty());
  await("1");
  calls_.answer(1, core::text_answer("at last"));
  EXPECT_EQ(said_.back(), "at last");
}

TEST_F(HeldCallsTest, AnswerBetweenCalls_IsKept) {
  ask();
  scheduler_.advance(seconds(50));
  calls_.answer(1, core::text_answer("meanwhile"));
  await("1");
  EXPECT_EQ(said_.size(), 1U);  // never within start()
  scheduler_.advance(seconds(0));
  EXPECT_EQ(said_.back(), "meanwhile");
  await("1");
  scheduler_.advance(seconds(0));
  EXPECT_TRUE(is_error_);
}

TEST_F(HeldCallsTest, WithoutAwaitAnswer_IsWithdrawn) {
  ask();
  scheduler_.advance(seconds(50));
  scheduler_.advance(seconds(119));
  EXPECT_TRUE(calls_.cancelled.empty());
  scheduler_.advance(seconds(1));
  ASSERT_EQ(calls_.cancelled.size(), 1U);
  EXPECT_EQ(held_.questions(), 0U);
  await("1");
  scheduler_.advance(seconds(0));
  EXPECT_THAT(said_.back(), HasSubstr("Ask again"));
}

TEST_F(HeldCallsTest, CancelledAwaitAnswer_CancelsTheQuestion) {
  ask();
  scheduler_.advance(seconds(50));
  held_.cancel(await("1"), "changed my mind");
  ASSERT_EQ(calls_.cancelled.size(), 1U);
  EXPECT_EQ(calls_.cancelled[0].second, "changed my mind");
}

TEST_F(HeldCallsTest, TwoWaitersForOneAnswer_AreRefused) {
  ask();
  scheduler_.advance(seconds(50));
  await("1");
  await("1");
  await("nonsense");
  scheduler_.advance(seconds(0));
  EXPECT_EQ(said_.size(), 3U);
  EXPECT_TRUE(is_error_);
  EXPECT_EQ(held_.questions(), 1U);
}

TEST_F(HeldCallsTest, Close_WithdrawsHeldQuestions) {
  ask();
  scheduler_.advance(seconds(50));
  held_.close("gone");
  EXPECT_EQ(calls_.cancelled.size(), 1U);
}

TEST_F(HeldCallsTest, TooManyQuestions_AreRefused) {
  for (std::size_t i = 0; i < HeldCalls::kMaxQuestions; ++i) ask();
  ask();
  scheduler_.advance(seconds(0));
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_TRUE(is_error_);
  EXPECT_EQ(calls_.open.size(), HeldCalls::kMaxQuestions);
}

}  // namespace
}  // namespace parley::mcp
