// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/clock.h"
#include "core/result.h"
#include "sql/database.h"

namespace parley::event {

// How much history is kept. The default keeps everything.
struct Retention {
  std::optional<core::Millis> max_age;       // older events are dropped
  std::uint64_t max_events_per_session = 0;  // the oldest beyond this are dropped; 0: no limit
  core::Millis interval{60'000};             // between two sweeps over all sessions

  bool keeps_everything() const { return !max_age && max_events_per_session == 0; }
};

// Drops the events of a session below `keep`, with the closed interactions that they opened, in the
// transaction that is open, and says how many they were. `session` is its number in the file.
core::Result<std::uint64_t> drop_history(sql::Database& database, std::int64_t session,
                                         std::uint64_t keep);

// Drops old events from the low end of their sessions, in slices that are short enough to stand
// between two commits. What is dropped is always a prefix, so the rest stays gapless and first_seq
// says where it begins. Nothing from the oldest pending interaction on is dropped. A closed
// interaction goes with the event that opened it.
class RetentionSweep {
 public:
  // Events that one slice looks at or drops.
  static constexpr std::uint64_t kSliceEvents = 256;
  // Sessions that one slice looks at.
  static constexpr std::size_t kSliceSessions = 64;

  RetentionSweep(Retention retention, const core::Clock& clock)
      : retention_(retention), clock_(clock) {}

  struct Slice {
    std::uint64_t dropped = 0;  // events
    bool finished = false;      // the sweep has been over all sessions; the next call begins anew
  };

  // One slice, one transaction, on a connection that may write and is not in a transaction.
  // `own_epoch`: what take_home() gave. Errors: `owned_elsewhere` (another node has taken the home;
  // nothing is dropped), those of Database.
  core::Result<Slice> run_slice(sql::Database& database, HomeEpoch own_epoch = 0);

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
  // How many events there are; the seq of the one that has `before` others before it, or what
  // follows the last one.
  core::Result<std::uint64_t> count_events(sql::Database& database, const Place& place) const;
  core::Result<std::uint64_t> seq_of(sql::Database& database, const Place& place,
                                     std::uint64_t before) const;
  core::Result<std::uint64_t> first_young(sql::Database& database, const Place& place,
                                          std::uint64_t from, std::uint64_t end) const;

  Retention retention_;
  const core::Clock& clock_;
  std::int64_t cursor_ = 0;  // number of the last session that is done
};

}  // namespace parley::event
