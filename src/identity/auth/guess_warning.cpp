// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/auth/guess_warning.h"

#include <spdlog/spdlog.h>

#include "base/core/guess_limit.h"

namespace parley::auth {
namespace {

constexpr core::Millis kGuessNewsPeriod{60'000};
constexpr std::uint64_t kWorthALine = core::kFreeGuesses;

}  // namespace

void GuessWarning::wrong(core::MonoTime now, std::string_view peer) {
  {
    const std::scoped_lock lock(mutex_);
    if (count_ == 0 || now - begin_ >= kGuessNewsPeriod) {
      begin_ = now;
      count_ = 0;
    }
    if (++count_ != kWorthALine + 1) return;
  }
  spdlog::warn(
      "{}: {} wrong attempts in the last {} s, the latest from {}: possible guessing attack", what_,
      kWorthALine + 1, kGuessNewsPeriod.count() / 1'000, peer);
}

}  // namespace parley::auth
