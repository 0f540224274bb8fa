// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/string_map.h"

namespace parley::external_agent {

// Budget of bytes that callers without a token may record within a day, all together and per
// address. Use decays linearly, at the rate of one limit per kWindow. Thread-safe.
class GuestBudget {
 public:
  // Limit (External agents): time in which the room of guests becomes free again, evenly.
  static constexpr core::Millis kWindow = std::chrono::hours(24);
  // Cost of a record in addition to its payload, in bytes: its row in the store and the rest of its
  // line.
  // Limit (External agents, bytes): what a record of a guest costs besides its bytes. Reached:
  // counted in `external_agent.guest_bytes`.
  static constexpr std::uint64_t kRecordCost = 512;
  // Cost of a study in bytes: its rows and the blocks of its file.
  // Limit (External agents, bytes): what a study of a guest costs besides its records. Reached:
  // counted in `external_agent.guest_bytes`.
  static constexpr std::uint64_t kStudyCost = 64U << 10U;
  // Limit of known addresses; above it the address with the least use is forgotten.
  // Limit (External agents): addresses of guests that are remembered. Reached: the oldest is
  // forgotten.
  static constexpr std::size_t kMaxAddresses = 4'096;

  struct Limits {
    std::uint64_t all = 0;      // bytes of all addresses together; 0: no limit
    std::uint64_t address = 0;  // bytes of one address; 0: no limit
  };

  // `clock` must outlive this object.
  GuestBudget(Limits limits, const core::Clock& clock);

  // False if no limit has been reached since the start, so that spent() returns std::nullopt for
  // every address. Takes no lock.
  bool was_spent() const { return was_spent_.load(std::memory_order_relaxed); }
  // Reason why this address may record no more now, for a person; std::nullopt: it may record.
  std::optional<std::string> spent(std::string_view address);
  void charge(std::string_view address, std::uint64_t bytes);

 private:
  struct Use {
    double bytes = 0;
    core::MonoTime at;
  };
  // Decays a use to the present.
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
