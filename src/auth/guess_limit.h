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

// Wrong tokens from one address that are answered without a wait.
inline constexpr std::size_t kFreeGuesses = 10;
// Wait of the next answer; each further one waits twice as long, up to kLongestWait.
inline constexpr core::Millis kFirstWait{100};
inline constexpr core::Millis kLongestWait{5'000};
// Time without a wrong token after which an address starts anew.
inline constexpr core::Millis kGuessMemory{60'000};
// Waiting answers, for one address and for all addresses. Beyond either limit a guess is refused
// without a check.
inline constexpr std::size_t kMaxWaitingOfAddress = 8;
inline constexpr std::size_t kMaxWaiting = 1'024;
// Remembered addresses; beyond the limit the oldest one is forgotten.
inline constexpr std::size_t kMaxGuessers = 4'096;

// The cost of guessing tokens: answers to wrong tokens of one address are sent one after the other,
// each later than the one before, however many connections ask. An IPv6 address counts by its /64.
// Thread-safe. Memory is bounded.
class GuessLimit {
 public:
  explicit GuessLimit(const core::Clock& clock) : clock_(clock) {}

  // Counts a wrong token and returns the wait of its answer. std::nullopt: too many answers wait
  // already, and the request is refused at once.
  std::optional<core::Millis> wrong(std::string_view address);
  // The wait of the answer to a right token that is short enough to be guessed: it queues with the
  // answers to wrong tokens of the address; 0 if few wrong tokens came from there. Does not
  // lengthen later waits. std::nullopt as for wrong().
  std::optional<core::Millis> guessable(std::string_view address);
  // True if guessable() would refuse now.
  bool full(std::string_view address);

  std::uint64_t wrong_tokens() const;  // since the start
  std::size_t addresses() const;

 private:
  struct Guesser {
    std::size_t failures = 0;
    core::MonoTime last;                 // time of the last failure
    std::deque<core::MonoTime> waiting;  // the time at which each waiting answer is sent, in order
  };

  Guesser* find(const std::string& key, core::MonoTime now);
  Guesser& guesser(const std::string& key, core::MonoTime now);
  bool is_full(const Guesser& guesser) const;
  core::Millis wait(Guesser& guesser, core::MonoTime now);

  const core::Clock& clock_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, Guesser> guessers_;
  std::deque<std::string> order_;  // the keys of guessers_, in the order of their first failure
  std::multiset<core::MonoTime> waiting_;  // of all addresses
  std::uint64_t wrong_tokens_ = 0;
};

}  // namespace parley::auth
