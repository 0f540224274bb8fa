// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/guess_limit.h"

#include <gtest/gtest.h>

#include "tests/support/core/fake_scheduler.h"

namespace parley::core {
namespace {

// Another wrong token with each call.
class Guesses {
 public:
  std::string next() { return "guess-" + std::to_string(count_++); }

 private:
  int count_ = 0;
};

TEST(GuessLimit, Waits_GrowToMaximum_AndAddUp) {
  FakeClock clock;
  GuessLimit guesses(clock);
  Guesses other;
  for (std::size_t i = 0; i < kFreeGuesses; ++i)
    EXPECT_EQ(guesses.wrong("a", other.next()), Millis(0));
  Millis expected = kFirstWait;
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(guesses.wrong("a", other.next()), expected);
    clock.advance(expected);
    expected = std::min(2 * expected, kLongestWait);
  }
  EXPECT_EQ(guesses.wrong("a", other.next()), kLongestWait);
  EXPECT_EQ(guesses.wrong("a", other.next()), 2 * kLongestWait);
  clock.advance(2 * kLongestWait + kGuessMemory);
  EXPECT_EQ(guesses.wrong("a", other.next()), Millis(0));
}

TEST(GuessLimit, RepeatedToken_CountsOnce) {
  FakeClock clock;
  GuessLimit guesses(clock);
  for (int second = 0; second < 600; ++second) {
    EXPECT_EQ(guesses.wrong("a", "test"), Millis(0)) << second;
    EXPECT_EQ(guesses.guessable("a"), Millis(0)) << second;
    clock.advance(Millis(1'000));
  }
  EXPECT_EQ(guesses.wrong_tokens(), 600U);
}

TEST(GuessLimit, RepetitionDuringGuessing_WaitsAndKeepsNoCount) {
  FakeClock clock;
  GuessLimit guesses(clock);
  Guesses other;
  guesses.wrong("a", "test");
  for (std::size_t i = 0; i < kFreeGuesses; ++i) guesses.wrong("a", other.next());
  EXPECT_GT(guesses.wrong("a", "test").value(), Millis(0)) << "no answer may come sooner";
  EXPECT_GT(guesses.guessable("a").value(), Millis(0));
  for (Millis past{0}; past < kGuessMemory; past += Millis(1'000)) {
    guesses.wrong("a", "test");
    clock.advance(Millis(1'000));
  }
  EXPECT_EQ(guesses.guessable("a"), Millis(0)) << "the guessing ended a minute ago";
}

TEST(GuessLimit, MoreTokensThanAreRemembered_AreAllCounted) {
  FakeClock clock;
  GuessLimit guesses(clock);
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < 2 * kMaxKnownGuesses; ++i) {
      guesses.wrong("a", std::to_string(i));
      clock.advance(Millis(100));
    }
    EXPECT_TRUE(guesses.full("a")) << round;
  }
}

TEST(GuessLimit, WaitingAnswers_AreBounded) {
  FakeClock clock;
  GuessLimit guesses(clock);
  Guesses other;
  std::size_t waiting = 0;
  for (std::size_t address = 0; address < 2 * kMaxWaiting / kMaxWaitingOfAddress; ++address) {
    const std::string name = "a" + std::to_string(address);
    for (std::size_t i = 0; i < kFreeGuesses + 2 * kMaxWaitingOfAddress; ++i) {
      const auto wait = guesses.wrong(name, other.next());
      if (wait && wait->count() > 0) ++waiting;
    }
    EXPECT_TRUE(guesses.full(name));
  }
  EXPECT_EQ(waiting, kMaxWaiting);
  clock.advance(kMaxWaitingOfAddress * kLongestWait);
  EXPECT_FALSE(guesses.full("a0"));
  EXPECT_TRUE(guesses.wrong("a0", other.next()).has_value());
}

TEST(GuessLimit, Addresses_AreBounded) {
  FakeClock clock;
  GuessLimit guesses(clock);
  Guesses other;
  for (std::size_t i = 0; i < 2 * kMaxGuessers; ++i) guesses.wrong(std::to_string(i), other.next());
  EXPECT_EQ(guesses.addresses(), kMaxGuessers);
  EXPECT_EQ(guesses.wrong_tokens(), 2 * kMaxGuessers);
}

}  // namespace
}  // namespace parley::core
