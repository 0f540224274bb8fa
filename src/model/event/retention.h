// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/sql/database.h"
#include "model/event/session_store.h"

namespace parley::event {

// The limits of the kept history. The default keeps everything.
struct Retention {
  std::optional<core::Millis> max_age;       // older events are dropped
  std::uint64_t max_events_per_session = 0;  // the oldest events above it are dropped; 0: no limit
  core::Millis interval{60'000};             // between two sweeps over all sessions

  bool keeps_everything() const { return !max_age && max_events_per_session == 0; }
};

// Drops the events of a session with a seq below `keep` and the closed interactions that they
// opened, in the open transaction. Returns the number of dropped events. `session`: its number in
// the file.
core::Result<std::uint64_t> drop_history(sql::Database& database, std::int64_t session,
                                         std::uint64_t keep);

// The same for a caller's wish. Errors: `failed_precondition` (an interaction that would be dropped
// is pending), those of Database.
core::Result<void> drop_decided_history(sql::Database& database, std::int64_t session,
                                        std::uint64_t keep);

// Drops the oldest events of each session, in slices short enough to run between two commits. Only
// a prefix is dropped: the rest stays gapless, and first_seq is its beginning. Events from the
// oldest pending interaction on are kept. A closed interaction is dropped with the event that
// opened it.
class RetentionSweep {
 public:
  // Limit of the events that one slice examines or drops.
  static constexpr std::uint64_t kSliceEvents = 256;
  // Limit of the sessions that one slice examines.
  static constexpr std::size_t kSliceSessions = 64;

  RetentionSweep(Retention retention, const core::Clock& clock)
      : retention_(retention), clock_(clock) {}

  struct Slice {
    std::uint64_t dropped = 0;  // events
    bool finished = false;      // all sessions have been examined; the next call begins a new sweep
  };

  // Runs one slice in one transaction. `database`: a writable connection without an open
  // transaction. `is_home`, inside of it: `owned_elsewhere` if another node has taken the home, and
  // nothing is dropped. Errors: those of `is_home` and Database.
  using HomeCheck = std::function<core::Result<void>(sql::Database&)>;
  core::Result<Slice> run_slice(sql::Database& database, const HomeCheck& is_home);

 private:
  struct Place {
    std::int64_t number = 0;
    std::uint64_t first = 1;
    std::uint64_t last = 0;
  };

  core::Result<Slice> sweep(sql::Database& database);
  core::Result<std::optional<Place>> next_session(sql::Database& database) const;
  core::Result<std::uint64_t> keep_from(sql::Database& database, const Place& place,
                                        std::uint64_t budget) const;
  // count_events(): the number of stored events. seq_of(): the seq of the event that has `before`
  // events before it, or last + 1.
  core::Result<std::uint64_t> count_events(sql::Database& database, const Place& place) const;
  core::Result<std::uint64_t> seq_of(sql::Database& database, const Place& place,
                                     std::uint64_t before) const;
  core::Result<std::uint64_t> first_young(sql::Database& database, const Place& place,
                                          std::uint64_t from, std::uint64_t end) const;

  Retention retention_;
  const core::Clock& clock_;
  std::int64_t cursor_ = 0;  // number of the last examined session
};

}  // namespace parley::event
