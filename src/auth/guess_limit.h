// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "core/clock.h"

namespace parley::auth {

// Wrong tokens from one address that are answered at once.
inline constexpr std::size_t kFreeGuesses = 10;
// The wait of the next one; each further one waits twice as long, up to kLongestWait.
inline constexpr core::Millis kFirstWait{100};
inline constexpr core::Millis kLongestWait{5'000};
// An address without a wrong token for this long begins anew.
inline constexpr core::Millis kGuessMemory{60'000};
// Answers that wait at once, for one address and for all. Beyond either a guess is refused unseen.
inline constexpr std::size_t kMaxWaitingOfAddress = 8;
inline constexpr std::size_t kMaxWaiting = 1'024;
// Addresses that are remembered; beyond it the one that came first is forgotten.
inline constexpr std::size_t kMaxGuessers = 4'096;

// The cost of guessing tokens: answers to wrong tokens of one address come one after the other,
// each later than the one before, however many connections ask. An IPv6 address counts by its /64.
// Thread-safe. Memory is bounded.
class GuessLimit {
 public:
  explicit GuessLimit(const core::Clock& clock) : clock_(clock) {}

  // Counts a wrong token; how long its answer waits. std::nullopt: too many answers wait already,
  // so that it is refused at once.
  std::optional<core::Millis> wrong(std::string_view address);
  // The same for a right token that is short enough to be guessed: it waits among the wrong ones
  // while somebody guesses, and 0 otherwise. It does not lengthen the waits.
  std::optional<core::Millis> guessable(std::string_view address);
  // True if guessable() would refuse now.
  bool full(std::string_view address);

  std::uint64_t wrong_tokens() const;  // since the start
  std::size_t addresses() const;

 private:
  struct Guesser {
    std::size_t failures = 0;
    core::MonoTime last;                 // of a failure
    std::deque<core::MonoTime> waiting;  // when each answer goes out, in order
  };

  Guesser* find(const std::string& key, core::MonoTime now);
  Guesser& guesser(const std::string& key, core::MonoTime now);
  bool is_full(const Guesser& guesser) const;
  core::Millis wait(Guesser& guesser, core::MonoTime now);

  const core::Clock& clock_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, Guesser> guessers_;
  std::deque<std::string> order_;  // the keys of guessers_, in the order of their first failure
  std::multiset<core::MonoTime> waiting_;  // of all
  std::uint64_t wrong_tokens_ = 0;
};

}  // namespace parley::auth
