// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/core/clock.h"

namespace parley::core {

// Another clock whose wall time is corrected by that of somebody who is right. Thread-safe.
class CorrectedClock final : public Clock {
 public:
  // Limit (Cluster): difference between the clock of a node and that of the database. Reached: the
  // node goes by the database's.
  static constexpr Millis kTolerance{1'000};

  // `source` outlives this clock.
  explicit CorrectedClock(const Clock& source) : source_(source) {}

  WallTime wall() const override { return source_.wall() + correction(); }
  MonoTime mono() const override { return source_.mono(); }
  Millis correction() const { return Millis(correction_ms_.load(std::memory_order_relaxed)); }

  // `right`: the wall time of now. True: the correction has changed, because it was off by more
  // than kTolerance.
  bool correct(WallTime right) {
    const Millis off = right - wall();
    if (off < kTolerance && off > -kTolerance) return false;
    correction_ms_.store((right - source_.wall()).count(), std::memory_order_relaxed);
    return true;
  }

 private:
  const Clock& source_;
  std::atomic<std::int64_t> correction_ms_{0};
};

}  // namespace parley::core
