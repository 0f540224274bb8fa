// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/sql_session_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/core/assert.h"
#include "base/core/limits.h"
#include "base/core/result.h"
#include "model/event/schema.h"

namespace parley::event {
namespace {

constexpr const char* kPlaceColumns =
    "SELECT number, first_seq, coalesce((SELECT key & 68719476735 FROM events WHERE"
    " key > number << 36 AND key < (number + 1) << 36 ORDER BY key DESC LIMIT 1), first_seq - 1)";

// Behind those of its place.
constexpr const char* kSessionColumns =
    ", id, dialect, owner, title, created_at, coalesce((SELECT at FROM events WHERE"
    " key > number << 36 AND key < (number + 1) << 36 ORDER BY key DESC LIMIT 1), 0) AS last_at";

constexpr const char* kHasEvents =
    "EXISTS (SELECT 1 FROM events WHERE key > number << 36 AND key < (number + 1) << 36)";

constexpr const char* kInteractionColumns =
    "SELECT s.id AS session, i.key, i.id, i.kind, i.state, i.fingerprint, i.opened_at, i.deadline,"
    " i.opened_seq, i.closed_seq, o.payload AS opened, c.payload AS closed, i.change"
    " FROM interactions i"
    " JOIN sessions s ON s.number = i.session"
    " LEFT JOIN events o ON o.key = i.session << 36 | i.opened_seq"
    " LEFT JOIN events c ON c.key = i.session << 36 | i.closed_seq ";

// Above every place in an inbox.
constexpr auto kNewestChange = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

SessionRow session_row(const sql::Statement& row) {
  return SessionRow{row.string(3), row.string(4), row.string(5), row.string(6),
                    row.time(7),   row.number(2), row.number(1), row.time(8)};
}

StoredInteraction interaction_row(const sql::Statement& row) {
  StoredInteraction stored;
  stored.row = {row.string(0), row.string(1), row.string(2), row.string(3),
                row.string(4), row.string(5), row.time(6),   row.time(7),
                row.number(8), row.number(9), row.number(12)};
  stored.opened_payload = row.string(10);
  stored.closed_payload = row.string(11);
  return stored;
}

Event event_row(const sql::Statement& row, const std::string& session) {
  return Event{session, row.number(0), row.time(1), row.string(2), row.string(3), row.string(4)};
}

// `query`, whose rows PostgreSQL would read whole before the first one is given, without those that
// follow one at which the `bytes` of all rows have reached kMaxPageBytes.
std::string bounded(sql::Engine engine, const std::string& query, const std::string& bytes,
                    const std::string& order, bool backwards) {
  if (engine == sql::Engine::sqlite) return query;
  const std::string by = " ORDER BY " + order + (backwards ? " DESC" : "");
  return "SELECT * FROM (SELECT *, coalesce(sum(" + bytes + ") OVER (" + by +
         " ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING), 0) AS bytes_before FROM (" + query +
         ") AS q) AS p WHERE bytes_before < " + std::to_string(kMaxPageBytes) + by;
}

// ?3: most rows.
std::string page_sql(sql::Engine engine, bool backwards, std::size_t types) {
  std::string sql =
      "SELECT key & 68719476735 AS seq, at, direction, type, payload FROM events"
      " WHERE key > ?1 AND key < ?2";
  if (types > 0) {
    sql += " AND type IN (";
    for (std::size_t i = 0; i < types; ++i) {
      if (i > 0) sql += ',';
      sql += '?';
      sql += std::to_string(i + 4);
    }
    sql += ')';
  }
  const std::string order = backwards ? " ORDER BY key DESC" : " ORDER BY key";
  return bounded(engine, sql + order + " LIMIT ?3", "octet_length(payload)", "seq", backwards);
}

// A read transaction: all statements in it see the same snapshot.
class Snapshot {
 public:
  explicit Snapshot(sql::Database& database)
      : database_(database), begun_(database.begin_reading().has_value()) {}
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot() {
    // The transaction wrote nothing, so a failure has no effect.
    if (begun_) static_cast<void>(database_.execute("COMMIT"));
  }

 private:
  sql::Database& database_;
  bool begun_;
};

}  // namespace

core::Result<std::unique_ptr<SqlSessionReader>> SqlSessionReader::make(sql::Database database) {
  // The constructor is private, so make_unique cannot reach it.
  std::unique_ptr<SqlSessionReader> reader(new SqlSessionReader(std::move(database)));
  PARLEY_TRY_VOID(reader->prepare());
  return reader;
}

core::Result<void> SqlSessionReader::prepare() {
  const std::string place = kPlaceColumns;
  const std::string sessions = place + kSessionColumns + " FROM sessions ";
  const std::string interactions = kInteractionColumns;
  return database_.prepare_all({
      {&find_session_, sessions + "WHERE id = ?1"},
      {&find_place_, place + " FROM sessions WHERE id = ?1"},
      {&page_after_, page_sql(database_.engine(), false, 0)},
      {&page_before_, page_sql(database_.engine(), true, 0)},
      {&count_,
       "SELECT count(*) FROM sessions JOIN events ON key > number << 36 AND"
       " key < (number + 1) << 36 WHERE id = ?1 AND type = ?2"},
      // `active_at` may be up to kActiveStepMs too early. A session of the page therefore has an
      // `active_at` above that of the ?2-th newest one minus kActiveStepMs: only those are sorted
      // by the time of their last event.
      {&sessions_of_,
       sessions + "WHERE owner = ?1 AND " + kHasEvents +
           " AND active_at > coalesce((SELECT active_at FROM sessions WHERE owner = ?1 AND " +
           kHasEvents + " ORDER BY active_at DESC LIMIT 1 OFFSET ?2 - 1), 0) - " +
           std::to_string(kActiveStepMs) + " ORDER BY last_at DESC, number DESC LIMIT ?2"},
      {&all_sessions_,
       "SELECT number, id, owner FROM sessions WHERE number > ?1 ORDER BY number LIMIT ?2"},
      {&pending_sessions_,
       "SELECT id, owner FROM sessions WHERE number IN (SELECT session FROM interactions"
       " WHERE state = 'pending') ORDER BY number"},
      {&pending_of_,
       interactions + "WHERE i.state = 'pending' AND s.id = ?1 ORDER BY i.opened_seq"},
      {&one_interaction_, interactions + "WHERE s.id = ?1 AND i.key = ?2"},
      {&inbox_, bounded(database_.engine(),
                        interactions +
                            "WHERE i.inbox = ?1 AND i.change < ?2 ORDER BY i.change DESC LIMIT ?3",
                        "coalesce(octet_length(opened), 0) + coalesce(octet_length(closed), 0)",
                        "change", true)},
      {&inbox_pending_,
       interactions + "WHERE i.inbox = ?1 AND i.state = 'pending' ORDER BY i.change"},
      {&inbox_key_,
       interactions +
           "WHERE i.inbox = ?1 AND i.key = ?2 ORDER BY s.id <> ?3, i.change DESC LIMIT 1"},
  });
}

core::Result<EventPage> SqlSessionReader::read(const ReadQuery& query) {
  if (query.types.size() > kMaxQueryTypes) {
    return core::fail(core::Code::invalid_argument, "The query names too many types.", "types");
  }
  PARLEY_ASSERT(!database_.in_transaction(),
                "session " + query.session + ": a page is read in the snapshot of another");
  const Snapshot snapshot(database_);
  const sql::StatementScope scope(find_place_);
  EventPage page;
  PARLEY_TRY(const bool found, find_place_.bind(1, query.session).step());
  if (!found) return page;
  page.first_seq = find_place_.number(1);
  page.last_seq = find_place_.number(2);
  PARLEY_TRY_VOID(fill_page(query, find_place_.integer(0), page));
  return page;
}

core::Result<void> SqlSessionReader::fill_page(const ReadQuery& query, std::int64_t number,
                                               EventPage& page) {
  const bool backwards = query.before.has_value();
  sql::Statement with_types;
  sql::Statement* statement = backwards ? &page_before_ : &page_after_;
  if (!query.types.empty()) {
    PARLEY_TRY(sql::Statement prepared,
               database_.prepare(page_sql(database_.engine(), backwards, query.types.size())));
    with_types = std::move(prepared);
    statement = &with_types;
  }
  statement->bind(1, event_key(number, backwards ? 0 : query.after));
  statement->bind(2, backwards ? event_key(number, *query.before) : event_key(number + 1, 0));
  statement->bind(3, std::min(query.limit, core::limits::kMaxPageEvents) + 1);
  int index = 4;
  for (const std::string& type : query.types) statement->bind(index++, type);
  core::Result<void> done = collect(*statement, query, page);
  if (done && backwards) std::reverse(page.events.begin(), page.events.end());
  return done;
}

core::Result<void> SqlSessionReader::collect(sql::Statement& query, const ReadQuery& wanted,
                                             EventPage& page) {
  const std::size_t limit = std::min(wanted.limit, core::limits::kMaxPageEvents);
  const std::size_t max_bytes = std::min(wanted.max_bytes, kMaxPageBytes);
  std::size_t bytes = 0;
  return query.each([&](const sql::Statement& row) {
    page.more = page.events.size() >= limit || bytes >= max_bytes;
    if (page.more) return false;
    page.events.push_back(event_row(row, wanted.session));
    bytes += page.events.back().payload.size();
    return true;
  });
}

core::Result<SessionRow> SqlSessionReader::session(const std::string& id) {
  PARLEY_TRY(std::optional<SessionRow> found, find_session_.bind_all(id).first(session_row));
  if (!found) return core::fail(core::Code::not_found, "No session has this id.", "session");
  return std::move(*found);
}

core::Result<std::uint64_t> SqlSessionReader::count(const std::string& session,
                                                    const std::string& type) {
  return count_.bind_all(session, type).first_integer();
}

core::Result<std::vector<SessionRow>> SqlSessionReader::sessions(const std::string& owner,
                                                                 std::size_t limit) {
  return sessions_of_.bind_all(owner, std::min(limit, kMaxListedSessions)).rows(session_row);
}

core::Result<std::vector<ListedSession>> SqlSessionReader::all_sessions(std::int64_t after,
                                                                        std::size_t limit) {
  return all_sessions_.bind_all(after, limit).rows([](const sql::Statement& row) {
    return ListedSession{row.integer(0), row.string(1), row.string(2)};
  });
}

core::Result<std::vector<PendingSession>> SqlSessionReader::pending_sessions() {
  return pending_sessions_.rows([](const sql::Statement& row) {
    return PendingSession{row.string(0), row.string(1)};
  });
}

core::Result<std::vector<StoredInteraction>> SqlSessionReader::pending(const std::string& session) {
  return pending_of_.bind_all(session).rows(interaction_row);
}

core::Result<std::optional<StoredInteraction>> SqlSessionReader::interaction(
    const std::string& session, const std::string& key) {
  return one_interaction_.bind_all(session, key).first(interaction_row);
}

core::Result<InboxPage> SqlSessionReader::inbox(const InboxQuery& query) {
  InboxPage page;
  if (query.pending) {
    PARLEY_TRY(page.interactions, inbox_pending_.bind_all(query.owner).rows(interaction_row));
    return page;
  }
  const std::size_t limit = std::min(query.limit, core::limits::kMaxPageEvents);
  const std::size_t max_bytes = std::min(query.max_bytes, kMaxPageBytes);
  const std::uint64_t before = std::min(query.before.value_or(kNewestChange), kNewestChange);
  std::size_t bytes = 0;
  inbox_.bind_all(query.owner, before, limit + 1);
  PARLEY_TRY_VOID(inbox_.each([&](const sql::Statement& row) {
    page.more = page.interactions.size() >= limit || bytes >= max_bytes;
    if (page.more) return false;
    const StoredInteraction& stored = page.interactions.emplace_back(interaction_row(row));
    bytes += stored.opened_payload.size() + stored.closed_payload.size();
    return true;
  }));
  std::reverse(page.interactions.begin(), page.interactions.end());
  return page;
}

core::Result<std::optional<StoredInteraction>> SqlSessionReader::inbox_interaction(
    const std::string& owner, const std::string& key, const std::string& first) {
  return inbox_key_.bind_all(owner, key, first).first(interaction_row);
}

}  // namespace parley::event
