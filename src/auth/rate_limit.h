// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "core/clock.h"

namespace parley::auth {

// A peer that fails this often within kFailureWindow of its first failure is told to wait until
// the window has passed.
inline constexpr std::size_t kMaxFailures = 20;
inline constexpr core::Millis kFailureWindow{60'000};
// Peers whose failures are remembered; beyond it the oldest window is forgotten.
inline constexpr std::size_t kMaxFailingPeers = 4'096;

// Counts failures by peer. Thread-safe. Memory is bounded.
class FailureLimit {
 public:
  explicit FailureLimit(const core::Clock& clock) : clock_(clock) {}

  // Counts a failure of a peer (its address without the port); false if it is one too many.
  bool record(std::string_view address);

  std::size_t peers() const;

 private:
  struct Window {
    core::MonoTime begin;
    std::size_t failures = 0;
  };

  void forget_old(core::MonoTime now);

  const core::Clock& clock_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, Window> windows_;
  std::deque<std::string> order_;  // the peers of windows_, oldest window first
};

}  // namespace parley::auth
