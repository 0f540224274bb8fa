// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "auth/guess_limit.h"

#include <gtest/gtest.h>

#include "core/fake_scheduler.h"

namespace parley::auth {
namespace {

TEST(GuessLimit, Waits_GrowToMaximum_AndAddUp) {
  core::FakeClock clock;
  GuessLimit guesses(clock);
  for (std::size_t i = 0; i < kFreeGuesses; ++i) EXPECT_EQ(guesses.wrong("a"), core::Millis(0));
  core::Millis expected = kFirstWait;
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(guesses.wrong("a"), expected);
    clock.advance(expected);
    expected = std::min(2 * expected, kLongestWait);
  }
  EXPECT_EQ(guesses.wrong("a"), kLongestWait);
  EXPECT_EQ(guesses.wrong("a"), 2 * kLongestWait);
  clock.advance(2 * kLongestWait + kGuessMemory);
  EXPECT_EQ(guesses.wrong("a"), core::Millis(0));
}

TEST(GuessLimit, WaitingAnswers_AreBounded) {
  core::FakeClock clock;
  GuessLimit guesses(clock);
  std::size_t waiting = 0;
  for (std::size_t address = 0; address < 2 * kMaxWaiting / kMaxWaitingOfAddress; ++address) {
    const std::string name = "a" + std::to_string(address);
    for (std::size_t i = 0; i < kFreeGuesses + 2 * kMaxWaitingOfAddress; ++i) {
      const auto wait = guesses.wrong(name);
      if (wait && wait->count() > 0) ++waiting;
    }
    EXPECT_TRUE(guesses.full(name));
  }
  EXPECT_EQ(waiting, kMaxWaiting);
  clock.advance(kMaxWaitingOfAddress * kLongestWait);
  EXPECT_FALSE(guesses.full("a0"));
  EXPECT_TRUE(guesses.wrong("a0").has_value());
}

TEST(GuessLimit, Addresses_AreBounded) {
  core::FakeClock clock;
  GuessLimit guesses(clock);
  for (std::size_t i = 0; i < 2 * kMaxGuessers; ++i) guesses.wrong(std::to_string(i));
  EXPECT_EQ(guesses.addresses(), kMaxGuessers);
  EXPECT_EQ(guesses.wrong_tokens(), 2 * kMaxGuessers);
}

}  // namespace
}  // namespace parley::auth
