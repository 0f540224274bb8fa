// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/core/result.h"

namespace parley::core {

// The gate for new work: questions, runs, studies, bookings, and further records of a study. Open
// at first. Work in progress does not pass the gate again, so that it can end. Thread-safe, and
// cheap while the gate is open.
class WorkGate {
 public:
  // Call before new work begins. Errors: `resource_exhausted` (with the reason), which is counted.
  Result<void> admit();
  bool is_open() const { return !closed_.load(std::memory_order_acquire); }
  // The same as admit() without counting.
  Result<void> state() const;

  // `why`: a sentence for the person whose work is refused.
  void close(std::string why);
  void open();

  // Refusals since the start.
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> closed_{false};
  std::atomic<std::uint64_t> refused_{0};
  mutable std::mutex mutex_;
  std::string why_;
};

// WorkGate::admit(); a null gate admits all work.
inline Result<void> admit_work(WorkGate* gate) {
  return gate == nullptr ? Result<void>() : gate->admit();
}

}  // namespace parley::core
