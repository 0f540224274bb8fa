// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "core/string_map.h"

namespace parley::external_agent {

// The bytes that callers without a token may record within a day, all together and from one
// address. Recorded bytes are forgotten evenly: a day later all are free again. Thread-safe.
class GuestBudget {
 public:
  static constexpr core::Millis kWindow = std::chrono::hours(24);
  // A record costs this beside its bytes: its row in the store, and the rest of its line.
  static constexpr std::uint64_t kRecordCost = 512;
  // A study: its rows and the blocks of its file.
  static constexpr std::uint64_t kStudyCost = 64U << 10U;
  // Over it the address that has used least is forgotten.
  static constexpr std::size_t kMaxAddresses = 4'096;

  struct Limits {
    std::uint64_t all = 0;      // bytes; 0: any number
    std::uint64_t address = 0;  // the same
  };

  // `clock` outlives this.
  GuestBudget(Limits limits, const core::Clock& clock);

  // Whether spent() can have an answer for anybody: a limit was reached since the start. Takes no
  // lock.
  bool was_spent() const { return was_spent_.load(std::memory_order_relaxed); }
  // Why this address may record no more now, in words; std::nullopt: it may.
  std::optional<std::string> spent(std::string_view address);
  void charge(std::string_view address, std::uint64_t bytes);

 private:
  struct Use {
    double bytes = 0;
    core::MonoTime at;
  };
  // The use as it is now.
  static void forget(Use& use, double per_ms, core::MonoTime now);
  Use& use_of(std::string_view address, core::MonoTime now);
  static bool is_spent(const Use& use, std::uint64_t limit);
  void make_room(core::MonoTime now);

  const Limits limits_;
  const core::Clock& clock_;
  std::atomic<bool> was_spent_{false};
  std::mutex mutex_;
  Use all_;
  core::StringMap<Use> addresses_;
};

}  // namespace parley::external_agent
