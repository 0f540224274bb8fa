// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/retention.h"

#include <algorithm>
#include <utility>

#include "base/core/assert.h"
#include "base/sql/transaction.h"
#include "model/event/schema.h"
#include "model/event/unit_check.h"

namespace parley::event {

core::Result<RetentionSweep::Slice> RetentionSweep::run_slice(sql::Database& database,
                                                              const HomeCheck& is_home) {
  PARLEY_ASSERT(!database.in_transaction(),
                "a slice of retention begins in a transaction, after"
                " session number " +
                    std::to_string(cursor_));
  const std::int64_t cursor = cursor_;
  core::Result<void> begun = database.begin_sharing();
  if (!begun) return core::fail(std::move(begun.error()));
  const core::Result<void> standing = is_home(database);
  core::Result<Slice> slice = standing ? sweep(database) : core::fail(standing.error());
  if (slice) {
    core::Result<void> committed = database.execute("COMMIT");
    if (!committed) slice = core::fail(std::move(committed.error()));
  }
  if (!slice) {
    cursor_ = cursor;
    // The first failure is reported, not that of the rollback.
    if (database.in_transaction()) static_cast<void>(database.execute("ROLLBACK"));
  }
  return slice;
}

core::Result<RetentionSweep::Slice> RetentionSweep::sweep(sql::Database& database) {
  Slice slice;
  for (std::size_t i = 0; i < kSliceSessions; ++i) {
    const core::Result<std::optional<Place>> place = next_session(database);
    if (!place) return core::fail(place.error());
    if (!*place) {
      cursor_ = 0;
      slice.finished = true;
      return slice;
    }
    const std::uint64_t budget = kSliceEvents - slice.dropped;
    const core::Result<std::uint64_t> keep = keep_from(database, **place, budget);
    if (!keep) return core::fail(keep.error());
    PARLEY_ASSERT(*keep >= (*place)->first && *keep <= (*place)->last + 1,
                  "session number " + std::to_string((*place)->number) + " has events " +
                      std::to_string((*place)->first) + " to " + std::to_string((*place)->last) +
                      " and is to keep those from " + std::to_string(*keep));
    if (*keep > (*place)->first) {
      const core::Result<std::uint64_t> dropped = drop_history(database, (*place)->number, *keep);
      if (!dropped) return core::fail(dropped.error());
      slice.dropped += *dropped;
    }
    // The budget is spent: the next slice continues with this session.
    if (slice.dropped >= kSliceEvents) return slice;
    PARLEY_ASSERT((*place)->number > cursor_, "retention goes back from session number " +
                                                  std::to_string(cursor_) + " to " +
                                                  std::to_string((*place)->number));
    cursor_ = (*place)->number;
  }
  return slice;
}

core::Result<std::optional<RetentionSweep::Place>> RetentionSweep::next_session(
    sql::Database& database) const {
  return database.first(
      "SELECT number, first_seq, coalesce((SELECT key & 68719476735 FROM events WHERE key > number "
      "<< 36 AND"
      " key < (number + 1) << 36 ORDER BY key DESC LIMIT 1), first_seq - 1) FROM sessions"
      " WHERE number > ?1 ORDER BY number LIMIT 1",
      [](const sql::Statement& row) {
        return Place{row.integer(0), row.number(1), row.number(2)};
      },
      cursor_);
}

core::Result<std::uint64_t> RetentionSweep::keep_from(sql::Database& database, const Place& place,
                                                      std::uint64_t budget) const {
  const std::uint64_t most = retention_.max_events_per_session;
  core::Result<std::uint64_t> keep_or = place.first;
  if (most > 0 && place.last - place.first >= most) {
    const core::Result<std::uint64_t> count = count_events(database, place);
    if (!count) return core::fail(count.error());
    if (*count > most) keep_or = seq_of(database, place, std::min(*count - most, budget));
    if (!keep_or) return keep_or;
  }
  std::uint64_t keep = *keep_or;
  if (retention_.max_age) {
    const core::Result<std::uint64_t> end = seq_of(database, place, budget);
    if (!end) return core::fail(end.error());
    core::Result<std::uint64_t> young = first_young(database, place, keep, *end);
    if (!young) return young;
    keep = *young;
  }
  if (keep == place.first) return keep;
  const auto pending = database.first(
      "SELECT min(opened_seq) FROM interactions WHERE session = ?1 AND state = 'pending'",
      [](const sql::Statement& row) { return row.is_null(0) ? UINT64_MAX : row.number(0); },
      place.number);
  if (!pending) return core::fail(pending.error());
  keep = std::min(keep, pending->value_or(UINT64_MAX));
  return std::max(keep, place.first);
}

core::Result<std::uint64_t> RetentionSweep::count_events(sql::Database& database,
                                                         const Place& place) const {
  const core::Result<std::uint64_t> skipped = database.count(
      "SELECT coalesce(sum(key - 1 - (SELECT max(key) FROM events AS b WHERE b.key < events.key)),"
      " 0) FROM events WHERE type = 'numbers.skipped' AND key > ?1 AND key < ?2",
      event_key(place.number, place.first), event_key(place.number + 1, 0));
  if (!skipped) return core::fail(skipped.error());
  return place.last - place.first + 1 - *skipped;
}

core::Result<std::uint64_t> RetentionSweep::seq_of(sql::Database& database, const Place& place,
                                                   std::uint64_t before) const {
  const auto seq = database.first(
      "SELECT key & 68719476735 FROM events WHERE key > ?1 AND key < ?2 ORDER BY key LIMIT 1 "
      "OFFSET ?3",
      [](const sql::Statement& row) { return row.number(0); }, event_key(place.number, 0),
      event_key(place.number + 1, 0), before);
  if (!seq) return core::fail(seq.error());
  return seq->value_or(place.last + 1);
}

core::Result<std::uint64_t> RetentionSweep::first_young(sql::Database& database, const Place& place,
                                                        std::uint64_t from,
                                                        std::uint64_t end) const {
  const core::WallTime oldest = clock_.wall() - *retention_.max_age;
  std::uint64_t young = end;
  const core::Result<void> done = database.each(
      "SELECT key & 68719476735, at FROM events WHERE key >= ?1 AND key < ?2 ORDER BY key",
      [&](const sql::Statement& row) {
        if (row.time(1) < oldest) return true;
        young = row.number(0);
        return false;
      },
      event_key(place.number, from), event_key(place.number, end));
  if (!done) return core::fail(done.error());
  return young;
}

core::Result<std::uint64_t> drop_history(sql::Database& database, std::int64_t session,
                                         std::uint64_t keep) {
  const char* const statements[] = {
      "DELETE FROM events WHERE key > ?1 << 36 AND key < (?1 << 36 | ?2)",
      "DELETE FROM interactions WHERE session = ?1 AND opened_seq < ?2 AND state <> 'pending'",
      ("UPDATE sessions SET first_seq = coalesce((SELECT key & 68719476735 FROM events WHERE key > "
       "?1 << 36"
       " AND key < (?1 + 1) << 36 ORDER BY key LIMIT 1),"
       " CASE WHEN first_seq > ?2 THEN first_seq ELSE ?2 END) WHERE number = ?1"),
  };
  PARLEY_ASSERT(database.in_transaction(), "events of session number " + std::to_string(session) +
                                               " would be dropped without their interactions");
  std::optional<std::uint64_t> events;
  for (const char* sql : statements) {
    core::Result<void> done = database.run(sql, session, keep);
    if (!done) return core::fail(std::move(done.error()));
    if (!events) events = static_cast<std::uint64_t>(database.changes());
  }
  return *events;
}

core::Result<void> drop_decided_history(sql::Database& database, std::int64_t session,
                                        std::uint64_t keep) {
  PARLEY_TRY(const std::uint64_t pending,
             database.count("SELECT count(*) FROM interactions WHERE session = ?1 AND"
                            " opened_seq < ?2 AND state = 'pending'",
                            session, keep));
  if (pending > 0) return core::fail(question_is_open());
  const core::Result<std::uint64_t> dropped = drop_history(database, session, keep);
  return dropped ? core::Result<void>() : core::fail(dropped.error());
}

}  // namespace parley::event
