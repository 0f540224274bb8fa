// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "base/core/clock.h"
#include "base/core/scheduler.h"
#include "base/core/string_map.h"
#include "runtime/run/run_index.h"

namespace parley::run {

// Limit (Runs): rows that wait for a database that is away. Reached: further runs keep the state
// that the list has of them, until their owner moves or the server starts again.
inline constexpr std::size_t kMaxLateRows = 10'000;

inline constexpr core::Millis kLateRowPause{1'000};

// Changed runs that the list could not take because it did not answer. Each is written again,
// every kLateRowPause, until it is stored or its owner has another home. On the worker of the runs,
// which outlives it.
class LateRows : public std::enable_shared_from_this<LateRows> {
 public:
  LateRows(RunIndex& index, core::Scheduler& worker) : index_(index), worker_(worker) {}

  // Replaces an earlier row of the same run. `home`: the epoch of the attempt that failed, so that
  // a row of an earlier home of its owner is refused.
  void keep(const Run& run, event::HomeEpoch home);
  // The row of a run that waits; null: none.
  const Run* find(const std::string& run_id) const;
  // For a run whose row has been stored since.
  void forget(const std::string& run_id) { rows_.erase(run_id); }

 private:
  void write_after_pause();
  void write();

  RunIndex& index_;
  core::Scheduler& worker_;
  core::StringMap<std::pair<Run, event::HomeEpoch>> rows_;  // by run id
  bool waits_ = false;                                      // for the next attempt
};

}  // namespace parley::run
