// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/core/assert.h"
#include "base/core/result.h"
#include "model/event/retention.h"
#include "model/event/session_store.h"

namespace parley::event {

// Limit (The model, bits): commits of one opening of the store. Reached: the server ends with a
// message.
inline constexpr int kRevisionBits = 40;

// A revision: the epoch of the home, and below it the number of the commit since the store was
// opened.
inline Revision revision_of(HomeEpoch home_epoch, std::uint64_t commit) {
  PARLEY_ASSERT(commit >> kRevisionBits == 0 && home_epoch >> (63 - kRevisionBits) == 0,
                "no revision is left: epoch " + std::to_string(home_epoch) + ", commit " +
                    std::to_string(commit));
  return home_epoch << kRevisionBits | commit;
}

// Writes units in group commits. Synchronous; its calls belong to one thread, but for give_up().
class UnitWriter {
 public:
  UnitWriter() = default;
  UnitWriter(const UnitWriter&) = delete;
  UnitWriter& operator=(const UnitWriter&) = delete;
  virtual ~UnitWriter() = default;

  // Commits all units in one transaction; results[i] is the result of units[i]. If the transaction
  // fails for a unit's sake, each unit is committed in a transaction of its own, so that a faulty
  // unit does not fail others. Errors as SessionStore::commit(), and `invalid_argument` for a
  // malformed unit.
  virtual void write(std::span<const Unit* const> units,
                     std::vector<core::Result<Revision>>& results) = 0;

  // Writes and changes nothing, to find out whether the store takes writes again. Errors: those of
  // Database, `owned_elsewhere`.
  virtual core::Result<void> probe() = 0;

  // Finds out without a write whether the store can still be reached. Errors: as probe().
  virtual core::Result<void> check() { return {}; }
  virtual bool needs_checks() const { return false; }

  // Short work between two groups.
  virtual void after_group() {}

  // Runs a slice of retention. Errors: those of RetentionSweep::run_slice().
  virtual core::Result<RetentionSweep::Slice> sweep(RetentionSweep& retention) = 0;

  // Ends the use of the store, once all other connections to it are closed.
  virtual void finish() {}

  // write() calls `waits` each time that it finds the store away and waits for it.
  virtual void watch_waits(std::function<void(const core::Error&)> /*waits*/) {}
  // A write() that waits for the store ends soon, with `unavailable`. Any thread.
  virtual void give_up() {}

  // Pages in the log of an SQLite file after the last commit.
  virtual int log_pages() const { return 0; }
};

}  // namespace parley::event
