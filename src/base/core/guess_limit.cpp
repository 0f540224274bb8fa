// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/guess_limit.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/core/address_key.h"
#include "base/core/secret.h"

namespace parley::core {

GuessLimit::Guesser* GuessLimit::find(const std::string& key, MonoTime now) {
  while (!waiting_.empty() && *waiting_.begin() <= now) waiting_.erase(waiting_.begin());
  const auto known = guessers_.find(key);
  if (known == guessers_.end()) return nullptr;
  Guesser& guesser = known->second;
  while (!guesser.waiting.empty() && guesser.waiting.front() <= now) guesser.waiting.pop_front();
  // Answers that wait now are those to repetitions: the queue of the last failure is shorter than
  // kGuessMemory.
  if (guesser.last + kGuessMemory <= now) guesser.failures = 0;
  return &guesser;
}

GuessLimit::Guesser& GuessLimit::guesser(const std::string& key, MonoTime now) {
  if (Guesser* known = find(key, now)) return *known;
  if (guessers_.size() >= kMaxGuessers) {
    guessers_.erase(order_.front());
    order_.pop_front();
  }
  order_.push_back(key);
  return guessers_[key];
}

bool GuessLimit::is_full(const Guesser& guesser) const {
  return guesser.waiting.size() >= kMaxWaitingOfAddress || waiting_.size() >= kMaxWaiting;
}

bool GuessLimit::is_new(Guesser& guesser, std::string_view guess, MonoTime now) {
  const std::string hash = secret_hash(guess);
  std::uint64_t digest = 0;
  std::memcpy(&digest, hash.data(), sizeof(digest));
  std::vector<Guess>& known = guesser.known;
  std::erase_if(known, [now](const Guess& one) { return one.sent + kGuessMemory <= now; });
  const auto same = std::find_if(known.begin(), known.end(),
                                 [digest](const Guess& one) { return one.digest == digest; });
  if (same != known.end()) {
    same->sent = now;
    return false;
  }
  if (known.size() < kMaxKnownGuesses) {
    known.push_back({digest, now});
  } else {
    *std::min_element(known.begin(), known.end(), [](const Guess& a, const Guess& b) {
      return a.sent < b.sent;
    }) = {digest, now};
  }
  return true;
}

Millis GuessLimit::wait(Guesser& guesser, MonoTime now) {
  // 2^6 times the first wait exceeds the longest one.
  const std::size_t doublings = std::min<std::size_t>(guesser.failures - kFreeGuesses - 1, 6);
  const Millis step = std::min(kFirstWait * (1 << doublings), kLongestWait);
  const MonoTime begin = guesser.waiting.empty() ? now : guesser.waiting.back();
  guesser.waiting.push_back(begin + step);
  waiting_.insert(begin + step);
  return std::chrono::duration_cast<Millis>(begin + step - now);
}

std::optional<Millis> GuessLimit::wrong(std::string_view address,
                                        std::optional<std::string_view> guess) {
  const MonoTime now = clock_.mono();
  const std::scoped_lock lock(mutex_);
  ++wrong_tokens_;
  Guesser& from = guesser(address_key(address), now);
  if (!guess || is_new(from, *guess, now)) {
    from.last = now;
    ++from.failures;
  }
  if (from.failures <= kFreeGuesses) return Millis(0);
  if (is_full(from)) return std::nullopt;
  return wait(from, now);
}

std::optional<Millis> GuessLimit::guessable(std::string_view address) {
  const MonoTime now = clock_.mono();
  const std::scoped_lock lock(mutex_);
  Guesser* from = find(address_key(address), now);
  if (from == nullptr || from->failures <= kFreeGuesses) return Millis(0);
  if (is_full(*from)) return std::nullopt;
  return wait(*from, now);
}

bool GuessLimit::full(std::string_view address) {
  const MonoTime now = clock_.mono();
  const std::scoped_lock lock(mutex_);
  const Guesser* from = find(address_key(address), now);
  return from != nullptr && from->failures > kFreeGuesses && is_full(*from);
}

std::uint64_t GuessLimit::wrong_tokens() const {
  const std::scoped_lock lock(mutex_);
  return wrong_tokens_;
}

std::size_t GuessLimit::addresses() const {
  const std::scoped_lock lock(mutex_);
  return guessers_.size();
}

}  // namespace parley::core
