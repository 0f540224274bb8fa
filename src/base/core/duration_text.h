// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/core/clock.h"

// Durations as text. One rule everywhere, also in the console and in exports: rounded to the
// nearest unit that is shown, halves up.
namespace parley::core {

constexpr std::int64_t rounded(Millis time, std::int64_t unit_ms) {
  return (time.count() + unit_ms / 2) / unit_ms;
}

constexpr std::int64_t rounded_seconds(Millis time) { return rounded(time, 1'000); }

// "7.3 s".
inline std::string tenths_text(Millis time) {
  const std::int64_t tenths = rounded(time, 100);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

// "15 s", "1500 ms": for configured times, which are never rounded.
inline std::string exact_text(Millis time) {
  if (time.count() % 1'000 == 0) return std::to_string(time.count() / 1'000) + " s";
  return std::to_string(time.count()) + " ms";
}

}  // namespace parley::core
