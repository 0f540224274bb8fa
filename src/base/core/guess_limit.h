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
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/core/clock.h"

namespace parley::core {

// Different wrong tokens from one address that are answered without a wait.
// Limit (Tokens): different wrong tokens from one address (IPv6: its /64) that are answered at
// once. Reached: each further answer waits, one after the other.
inline constexpr std::size_t kFreeGuesses = 10;
// Wait of the first answer after the free guesses. It doubles with each further wrong token, up to
// kLongestWait.
// Limit (Tokens): first wait of an answer to a wrong token; each further one is twice as long.
inline constexpr Millis kFirstWait{100};
// Limit (Tokens): longest wait of an answer to a wrong token.
inline constexpr Millis kLongestWait{5'000};
// Time without another wrong token after which the count of an address restarts at 0. A token that
// is repeated at least as often counts once.
// Limit (Tokens): time without another wrong token after which counting begins again.
inline constexpr Millis kGuessMemory{60'000};
// Limit of the wrong tokens of an address that are remembered, as digests, so that their repetition
// is recognised; beyond it the one that was not sent for the longest time is forgotten.
// Limit (Tokens): digests of wrong tokens of an address whose repetition does not count. Reached:
// the one not sent for the longest time is forgotten, and counts again.
inline constexpr std::size_t kMaxKnownGuesses = 32;
// Limits of the waiting answers, for one address and for all. At either limit a guess is refused
// without a check.
// Limit (Tokens): answers to wrong tokens of one address that wait. Reached: `resource_exhausted`
// at once, 1013 on a WebSocket; tokens of 16 characters or more pass.
inline constexpr std::size_t kMaxWaitingOfAddress = 8;
// Limit (Tokens): answers to wrong tokens of all addresses that wait. Reached: `resource_exhausted`
// at once, 1013 on a WebSocket; tokens of 16 characters or more pass.
inline constexpr std::size_t kMaxWaiting = 1'024;
// Limit of the remembered addresses; beyond it the oldest one is forgotten.
// Limit (Tokens): addresses whose wrong tokens are remembered. Reached: the oldest is forgotten.
inline constexpr std::size_t kMaxGuessers = 4'096;

// Slows the guessing of tokens down: answers to wrong tokens from one address are sent one after
// another, with growing waits, whatever the number of connections. A client that repeats one wrong
// token learns nothing from it: a repetition does not count, but waits while others count. An IPv6
// address counts by its /64. Thread-safe. Memory is bounded.
class GuessLimit {
 public:
  explicit GuessLimit(const Clock& clock) : clock_(clock) {}

  // Counts the wrong token `guess`, of which a digest is kept, and returns the wait of its answer.
  // Without `guess` every call counts. std::nullopt: too many answers wait, and the request must be
  // refused at once.
  std::optional<Millis> wrong(std::string_view address,
                              std::optional<std::string_view> guess = std::nullopt);
  // The wait of the answer to a right token that is short enough to be guessed: it queues with the
  // answers to wrong tokens of the address; 0 if few wrong tokens came from there. Is not counted
  // as a wrong token. std::nullopt as for wrong().
  std::optional<Millis> guessable(std::string_view address);
  // True if guessable() would return std::nullopt now.
  bool full(std::string_view address);

  std::uint64_t wrong_tokens() const;  // since the start, repetitions too
  std::size_t addresses() const;

 private:
  struct Guess {
    std::uint64_t digest = 0;
    MonoTime sent;  // for the last time
  };
  struct Guesser {
    std::size_t failures = 0;      // different wrong tokens
    MonoTime last;                 // time of the last failure
    std::deque<MonoTime> waiting;  // the time at which each waiting answer is sent, in order
    std::vector<Guess> known;      // at most kMaxKnownGuesses
  };

  Guesser* find(const std::string& key, MonoTime now);
  Guesser& guesser(const std::string& key, MonoTime now);
  bool is_full(const Guesser& guesser) const;
  // Remembers the guess. False: the address has sent it within kGuessMemory.
  static bool is_new(Guesser& guesser, std::string_view guess, MonoTime now);
  Millis wait(Guesser& guesser, MonoTime now);

  const Clock& clock_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, Guesser> guessers_;
  std::deque<std::string> order_;    // the keys of guessers_, in the order of their first failure
  std::multiset<MonoTime> waiting_;  // send times of the waiting answers of all addresses
  std::uint64_t wrong_tokens_ = 0;
};

}  // namespace parley::core
