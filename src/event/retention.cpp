// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "event/retention.h"

#include <algorithm>
#include <utility>

#include "core/assert.h"
#include "event/schema.h"
#include "sql/transaction.h"

namespace parley::event {

core::Result<RetentionSweep::Slice> RetentionSweep::run_slice(sql::Database& database) {
  PARLEY_ASSERT(!database.in_transaction(),
                "a slice of retention begins in a transaction, after"
                " session number " +
                    std::to_string(cursor_));
  const std::int64_t cursor = cursor_;
  core::Result<void> begun = database.execute(sql::kBeginWriting);
  if (!begun) return core::fail(std::move(begun.error()));
  core::Result<Slice> slice = sweep(database);
  if (slice) {
    core::Result<void> committed = database.execute("COMMIT");
    if (!committed) slice = core::fail(std::move(committed.error()));
  }
  if (!slice) {
    cursor_ = cursor;
    // The first failure is the one to report.
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
    // With the budget spent this session may have more; the next slice comes back to it.
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
  core::Result<sql::Statement> query = database.prepare(
      "SELECT number, first_seq, coalesce((SELECT seq FROM events WHERE key > number << 36 AND"
      " key < (number + 1) << 36 ORDER BY key DESC LIMIT 1), first_seq - 1) FROM sessions"
      " WHERE number > ?1 ORDER BY number LIMIT 1");
  if (!query) return core::fail(query.error());
  const core::Result<bool> row = query->bind(1, cursor_).step();
  if (!row) return core::fail(row.error());
  if (!*row) return std::nullopt;
  return Place{query->integer(0), query->number(1), query->number(2)};
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
  core::Result<sql::Statement> pending = database.prepare(
      "SELECT min(opened_seq) FROM interactions WHERE session = ?1 AND state = 'pending'");
  if (!pending) return core::fail(pending.error());
  const core::Result<bool> row = pending->bind(1, place.number).step();
  if (!row) return core::fail(row.error());
  if (*row && !pending->is_null(0)) keep = std::min(keep, pending->number(0));
  return std::max(keep, place.first);
}

core::Result<std::uint64_t> RetentionSweep::count_events(sql::Database& database,
                                                         const Place& place) const {
  core::Result<sql::Statement> query = database.prepare(
      "SELECT coalesce(sum(key - 1 - (SELECT max(key) FROM events AS b WHERE b.key < events.key)),"
      " 0) FROM events WHERE type = 'numbers.skipped' AND key > ?1 AND key < ?2");
  if (!query) return core::fail(query.error());
  query->bind(1, event_key(place.number, place.first)).bind(2, event_key(place.number + 1, 0));
  const core::Result<bool> row = query->step();
  if (!row) return core::fail(row.error());
  return place.last - place.first + 1 - query->number(0);
}

core::Result<std::uint64_t> RetentionSweep::seq_of(sql::Database& database, const Place& place,
                                                   std::uint64_t before) const {
  core::Result<sql::Statement> query = database.prepare(
      "SELECT seq FROM events WHERE key > ?1 AND key < ?2 ORDER BY key LIMIT 1"
      " OFFSET ?3");
  if (!query) return core::fail(query.error());
  query->bind(1, event_key(place.number, 0)).bind(2, event_key(place.number + 1, 0));
  const core::Result<bool> row = query->bind(3, before).step();
  if (!row) return core::fail(row.error());
  return *row ? query->number(0) : place.last + 1;
}

core::Result<std::uint64_t> RetentionSweep::first_young(sql::Database& database, const Place& place,
                                                        std::uint64_t from,
                                                        std::uint64_t end) const {
  const std::int64_t oldest = core::to_unix_ms(clock_.wall() - *retention_.max_age);
  core::Result<sql::Statement> query =
      database.prepare("SELECT seq, at FROM events WHERE key >= ?1 AND key < ?2 ORDER BY key");
  if (!query) return core::fail(query.error());
  query->bind(1, event_key(place.number, from)).bind(2, event_key(place.number, end));
  while (true) {
    const core::Result<bool> row = query->step();
    if (!row) return core::fail(row.error());
    if (!*row) return end;
    if (query->integer(1) >= oldest) return query->number(0);
  }
}

core::Result<std::uint64_t> drop_history(sql::Database& database, std::int64_t session,
                                         std::uint64_t keep) {
  const char* const statements[] = {
      "DELETE FROM events WHERE key > ?1 << 36 AND key < (?1 << 36 | ?2)",
      "DELETE FROM interactions WHERE session = ?1 AND opened_seq < ?2 AND state <> 'pending'",
      ("UPDATE sessions SET first_seq = coalesce((SELECT seq FROM events WHERE key > ?1 << 36"
       " AND key < (?1 + 1) << 36 ORDER BY key LIMIT 1),"
       " CASE WHEN first_seq > ?2 THEN first_seq ELSE ?2 END) WHERE number = ?1"),
  };
  PARLEY_ASSERT(database.in_transaction(), "events of session number " + std::to_string(session) +
                                               " would be dropped without their interactions");
  std::optional<std::uint64_t> events;
  for (const char* sql : statements) {
    core::Result<sql::Statement> statement = database.prepare(sql);
    if (!statement) return core::fail(std::move(statement.error()));
    core::Result<void> done = statement->bind(1, session).bind(2, keep).run();
    if (!done) return core::fail(std::move(done.error()));
    if (!events) events = static_cast<std::uint64_t>(database.changes());
  }
  return *events;
}

}  // namespace parley::event
