// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace parley::core {

using Millis = std::chrono::milliseconds;
// Wall time in whole milliseconds since the Unix epoch, for storage and display.
using WallTime = std::chrono::time_point<std::chrono::system_clock, Millis>;
// Monotonic time, for measuring waits. Has no meaning outside this process.
using MonoTime = std::chrono::steady_clock::time_point;

inline std::int64_t to_unix_ms(WallTime at) { return at.time_since_epoch().count(); }
inline std::int64_t to_unix_s(WallTime at) { return to_unix_ms(at) / 1000; }
inline WallTime from_unix_ms(std::int64_t ms) { return WallTime(Millis(ms)); }

// The only source of time. Thread-safe. Injected, so that tests advance time by hand.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  virtual WallTime wall() const = 0;
  virtual MonoTime mono() const = 0;
};

// The clock of this computer.
class SystemClock final : public Clock {
 public:
  WallTime wall() const override {
    return std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
  }
  MonoTime mono() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace parley::core
