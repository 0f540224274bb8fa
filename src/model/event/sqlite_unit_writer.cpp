// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/sqlite_unit_writer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/core/assert.h"
#include "base/core/contain.h"
#include "base/core/hex.h"
#include "base/core/result.h"
#include "base/core/sha256.h"
#include "base/sql/transaction.h"
#include "model/event/decision.h"
#include "model/event/retention.h"
#include "model/event/schema.h"
#include "model/event/unit_check.h"

namespace parley::event {

namespace {

// Workspaces whose last decision is cached.
constexpr std::size_t kMaxHeads = 4'096;

// The next place in the inbox of the owner that this SQL expression names.
std::string next_change(const std::string& owner) {
  return "coalesce((SELECT max(o.change) FROM interactions o WHERE o.inbox = " + owner +
         "), 0) + 1";
}

}  // namespace

core::Result<void> DecisionChain::prepare(sql::Database& database) {
  return database.prepare_all({
      {&find_workspace_, "SELECT owner FROM sessions WHERE number = ?1"},
      {&find_head_,
       "SELECT number, hash FROM decisions WHERE workspace = ?1 ORDER BY number DESC LIMIT 1"},
      {&insert_,
       "INSERT INTO decisions (workspace, number, session, seq, at, closed, hash)"
       " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"},
  });
}

core::Result<void> DecisionChain::add(std::int64_t session, const Event& closed) {
  Decision decision;
  PARLEY_TRY(auto workspace, find_workspace_.bind_all(session).first(
                                 [](const sql::Statement& row) { return row.string(0); }));
  if (!workspace) return core::fail(core::Code::data_loss, "The session of a decision is missing.");
  decision.workspace = std::move(*workspace);
  PARLEY_TRY(Head* const head, find_head(decision.workspace));
  const std::string digest = core::sha256(closed.payload);
  decision.number = head->number + 1;
  decision.session = closed.session;
  decision.seq = closed.seq;
  decision.at = closed.at;
  decision.closed = core::hex_text(digest);
  const std::string hash = decision_hash(decision, head->hash);
  PARLEY_TRY_VOID(insert_
                      .bind_all(decision.workspace, decision.number, session, decision.seq,
                                decision.at, sql::Blob{digest}, sql::Blob{hash})
                      .run());
  *head = {decision.number, core::hex_text(hash)};
  return {};
}

core::Result<DecisionChain::Head*> DecisionChain::find_head(const std::string& workspace) {
  const auto known = heads_.find(workspace);
  if (known != heads_.end()) return &known->second;
  PARLEY_TRY(auto head, find_head_.bind_all(workspace).first([](const sql::Statement& row) {
    return Head{row.number(0), core::hex_text(row.text(1))};
  }));
  if (heads_.size() >= kMaxHeads) heads_.clear();
  if (!head) head = Head{0, std::string(kNoDecision)};
  return &heads_.insert_or_assign(workspace, std::move(*head)).first->second;
}

core::Result<std::unique_ptr<SqliteUnitWriter>> SqliteUnitWriter::make(
    sql::Database database, std::size_t max_cached_sessions, HomeEpoch own_epoch) {
  // The constructor is private, so make_unique cannot reach it.
  std::unique_ptr<SqliteUnitWriter> writer(
      new SqliteUnitWriter(std::move(database), max_cached_sessions, own_epoch));
  PARLEY_TRY_VOID(writer->prepare());
  return writer;
}

SqliteUnitWriter::SqliteUnitWriter(sql::Database database, std::size_t max_cached_sessions,
                                   HomeEpoch own_epoch)
    : database_(std::move(database)),
      max_cached_sessions_(max_cached_sessions),
      own_epoch_(own_epoch) {
  database_.watch_log(&log_pages_);
}

SqliteUnitWriter::~SqliteUnitWriter() { database_.watch_log(nullptr); }

core::Result<void> SqliteUnitWriter::prepare() {
  PARLEY_TRY_VOID(decisions_.prepare(database_));
  return database_.prepare_all({
      {&begin_, sql::kBeginWriting},
      {&commit_, "COMMIT"},
      {&find_epoch_, kFindHomeEpoch},
      {&find_session_,
       "SELECT number, coalesce((SELECT seq FROM events WHERE key > number << 36 AND"
       " key < (number + 1) << 36 ORDER BY key DESC LIMIT 1), first_seq - 1), active_at"
       " FROM sessions WHERE id = ?1"},
      {&insert_session_,
       "INSERT INTO sessions (id, dialect, owner, title, created_at, first_seq)"
       " VALUES (?1, ?2, ?3, ?4, ?5, 1) RETURNING number"},
      {&update_session_,
       "UPDATE sessions SET title = ?2 WHERE number = ?1 AND dialect = ?3 AND owner = ?4"},
      {&insert_event_,
       "INSERT INTO events (key, at, direction, type, payload) VALUES (?1, ?2, ?3, ?4, ?5)"},
      {&note_activity_, "UPDATE sessions SET active_at = ?2 WHERE number = ?1"},
      // Closed is final and a key is used once: if no row changes, the unit fails.
      {&open_interaction_,
       "INSERT INTO interactions (session, key, id, kind, state, fingerprint, opened_at, deadline,"
       " opened_seq, closed_seq, inbox, change) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0,"
       " CASE ?10 WHEN 1 THEN s.owner END, CASE ?10 WHEN 1 THEN " +
           next_change("s.owner") +
           " ELSE 0 END FROM sessions s WHERE s.number = ?1 ON CONFLICT (session, key) DO NOTHING"},
      {&close_interaction_,
       "UPDATE interactions SET state = ?4, closed_seq = ?5, change ="
       " CASE WHEN inbox IS NULL THEN 0 ELSE " +
           next_change("interactions.inbox") +
           " END WHERE session = ?1 AND key = ?2 AND id = ?3 AND state = 'pending'"},
  });
}

void SqliteUnitWriter::write(std::span<const Unit* const> units,
                             std::vector<core::Result<Revision>>& results) {
  if (thread_ == std::thread::id()) thread_ = std::this_thread::get_id();
  PARLEY_ASSERT(thread_ == std::this_thread::get_id(),
                "a second thread writes " + std::to_string(units.size()) + " units");
  PARLEY_ASSERT(!database_.in_transaction(), "a group of " + std::to_string(units.size()) +
                                                 " units begins in the transaction of another");
  if (places_.size() > max_cached_sessions_) places_.clear();
  results.assign(units.size(), Revision{0});
  if (!write_group(units, results)) {
    for (std::size_t i = 0; i < units.size(); ++i) results[i] = write_alone(*units[i]);
  }
  PARLEY_ASSERT(results.size() == units.size(), std::to_string(units.size()) + " units have " +
                                                    std::to_string(results.size()) + " results");
}

// Reads the epoch in the write transaction, so that no other node can take the file before its end.
core::Result<void> SqliteUnitWriter::begin() {
  core::Result<void> begun = begin_.run();
  if (!begun) return begun;
  const sql::StatementScope scope(find_epoch_);
  const core::Result<bool> row = find_epoch_.step();
  if (!row) {
    roll_back();
    return core::fail(row.error());
  }
  standing_epoch_ = *row ? find_epoch_.number(0) : 0;
  return {};
}

core::Result<Revision> SqliteUnitWriter::commit() {
  PARLEY_TRY_VOID(commit_.run());
  return revision_of(own_epoch_, ++commits_);
}

core::Result<void> SqliteUnitWriter::probe() {
  PARLEY_TRY_VOID(begin());
  core::Result<void> done = core::fail(owned_elsewhere());
  if (standing_epoch_ == own_epoch_) done = database_.rewrite_first_page();
  if (done) {
    const core::Result<Revision> revision = commit();
    if (!revision) done = core::fail(revision.error());
  }
  if (!done) roll_back();
  return done;
}

bool SqliteUnitWriter::write_group(std::span<const Unit* const> units,
                                   std::vector<core::Result<Revision>>& results) {
  if (!begin()) return false;
  for (std::size_t i = 0; i < units.size(); ++i) {
    touched_ = false;
    core::Result<void> written =
        core::contain("event writer", [&] { return write_unit(*units[i]); });
    if (written) continue;
    results[i] = core::fail(std::move(written.error()));
    if (touched_) {
      roll_back();
      return false;
    }
  }
  const core::Result<Revision> revision = commit();
  if (!revision) {
    roll_back();
    return false;
  }
  for (core::Result<Revision>& result : results) {
    if (result) result = *revision;
  }
  return true;
}

core::Result<Revision> SqliteUnitWriter::write_alone(const Unit& unit) {
  core::Result<void> done = begin();
  if (!done) return core::fail(std::move(done.error()));
  done = core::contain("event writer", [&] { return write_unit(unit); });
  core::Result<Revision> revision = done ? commit() : core::fail(std::move(done.error()));
  if (!revision) roll_back();
  return revision;
}

void SqliteUnitWriter::roll_back() {
  // The caches may hold data of the transaction that is rolled back.
  places_.clear();
  decisions_.forget();
  // After some errors SQLite has rolled back by itself. A failed rollback cannot be handled.
  if (database_.in_transaction()) static_cast<void>(database_.execute("ROLLBACK"));
}

core::Result<void> SqliteUnitWriter::write_unit(const Unit& unit) {
  PARLEY_ASSERT(database_.in_transaction(), "a unit of epoch " + std::to_string(unit.home_epoch) +
                                                " is written outside of a transaction");
  PARLEY_ASSERT(unit.home_epoch <= own_epoch_,
                "a unit carries epoch " + std::to_string(unit.home_epoch) +
                    ", which this store never had: " + std::to_string(own_epoch_));
  if (unit.home_epoch != standing_epoch_) return core::fail(owned_elsewhere());
  PARLEY_ASSERT(!unit.drop || (unit.events.empty() && unit.changes.empty() && !unit.session),
                "session " + unit.drop->session + ": its history is dropped in a unit of " +
                    std::to_string(unit.events.size()) + " events and " +
                    std::to_string(unit.changes.size()) + " changes");
  if (unit.drop) return write_drop(*unit.drop);
  PARLEY_TRY(const std::string* const session, checked_session(unit));
  core::Result<Place*> place = find_place(*session);
  if (!place) return core::fail(std::move(place.error()));
  const bool is_stored = *place != nullptr;
  PARLEY_TRY_VOID(check_place(unit, is_stored, is_stored ? (*place)->last_seq : 0));
  if (unit.session) {
    place = put_session(*unit.session, *place);
    if (!place) return core::fail(std::move(place.error()));
  }
  for (const InteractionChange& change : unit.changes) {
    PARLEY_TRY(const DerivedRow derived, derive_row(unit, change));
    PARLEY_TRY_VOID(change_interaction((*place)->number, derived));
    if (derived.opens) continue;
    PARLEY_TRY_VOID(decisions_.add((*place)->number, unit.events[change.event]));
  }
  return insert_events(**place, unit.events);
}

core::Result<void> SqliteUnitWriter::write_drop(const HistoryDrop& drop) {
  PARLEY_ASSERT(!drop.session.empty(), "history below event " + std::to_string(drop.before) +
                                           " is to be dropped of no session");
  PARLEY_TRY(Place* const place, find_place(drop.session));
  if (place == nullptr) return core::fail(no_such_session());
  const std::uint64_t keep = std::min(drop.before, place->last_seq + 1);
  PARLEY_ASSERT(keep <= place->last_seq + 1, "session " + drop.session + ": dropped up to event " +
                                                 std::to_string(keep) + " beyond its last one, " +
                                                 std::to_string(place->last_seq));
  touched_ = true;
  return drop_decided_history(database_, place->number, keep);
}

core::Result<SqliteUnitWriter::Place*> SqliteUnitWriter::find_place(const std::string& session) {
  const auto known = places_.find(session);
  if (known != places_.end()) return &known->second;
  const sql::StatementScope scope(find_session_);
  const core::Result<bool> row = find_session_.bind(1, session).step();
  if (!row) {
    touched_ = true;
    return core::fail(row.error());
  }
  if (!*row) return nullptr;
  const Place place{find_session_.integer(0), find_session_.number(1), find_session_.integer(2)};
  return &places_.insert_or_assign(session, place).first->second;
}

core::Result<SqliteUnitWriter::Place*> SqliteUnitWriter::put_session(const SessionRow& row,
                                                                     Place* place) {
  touched_ = true;
  if (place == nullptr) {
    const sql::StatementScope scope(insert_session_);
    PARLEY_TRY_VOID(
        insert_session_.bind_all(row.id, row.dialect, row.owner, row.title, row.created_at).step());
    const Place created{insert_session_.integer(0), 0, 0};
    if (created.number > kMaxSessionNumber) return core::fail(too_many_sessions());
    return &places_.insert_or_assign(row.id, created).first->second;
  }
  PARLEY_TRY_VOID(update_session_.bind_all(place->number, row.title, row.dialect, row.owner).run());
  if (database_.changes() == 0) return core::fail(session_of_another());
  return place;
}

core::Result<void> SqliteUnitWriter::change_interaction(std::int64_t session,
                                                        const DerivedRow& row) {
  PARLEY_ASSERT(row.opens == (row.closed_seq == 0),
                "interaction " + std::string(row.key) + ": state " + std::string(row.state) +
                    " with the closing event " + std::to_string(row.closed_seq));
  touched_ = true;
  core::Result<void> done =
      row.opens
          ? open_interaction_
                .bind_all(session, row.key, row.id, row.kind, row.state, row.fingerprint,
                          row.opened_at, row.deadline, row.opened_seq, row.in_inbox ? 1 : 0)
                .run()
          : close_interaction_.bind_all(session, row.key, row.id, row.state, row.closed_seq).run();
  if (!done) return done;
  PARLEY_ASSERT(database_.changes() <= 1, "interaction " + std::string(row.key) + " changes " +
                                              std::to_string(database_.changes()) + " rows");
  if (database_.changes() == 0) return core::fail(interaction_is_final());
  return {};
}

core::Result<void> SqliteUnitWriter::insert_events(Place& place, const std::vector<Event>& events) {
  for (const Event& event : events) {
    PARLEY_ASSERT(event.seq == place.last_seq + 1 ||
                      (event.seq > place.last_seq && event.type == kNumbersSkipped),
                  "session " + event.session + ": event " + std::to_string(event.seq) +
                      " is stored after event " + std::to_string(place.last_seq));
    touched_ = true;
    insert_event_.bind(1, event_key(place.number, event.seq)).bind(2, core::to_unix_ms(event.at));
    insert_event_.bind(3, event.direction).bind(4, event.type).bind(5, event.payload);
    core::Result<void> done = insert_event_.run();
    if (!done) return done;
    place.last_seq = event.seq;
  }
  return events.empty() ? core::Result<void>()
                        : note_activity(place, core::to_unix_ms(events.back().at));
}

core::Result<void> SqliteUnitWriter::note_activity(Place& place, std::int64_t at) {
  // A time before active_at (the clock was set back) is stored too.
  if (place.active_at <= at && at < place.active_at + kActiveStepMs) return {};
  PARLEY_ASSERT(place.last_seq > 0,
                "session number " + std::to_string(place.number) + " was active without an event");
  place.active_at = at;
  return note_activity_.bind(1, place.number).bind(2, at).run();
}

void SqliteUnitWriter::after_group() {
  if (policy_.checkpointer == nullptr) return;
  // The log was restarted.
  if (log_pages_ < checkpointed_at_) checkpointed_at_ = 0;
  PARLEY_ASSERT(log_pages_ >= 0 && checkpointed_at_ >= 0,
                "the log has " + std::to_string(log_pages_) +
                    " pages, the last checkpoint was at " + std::to_string(checkpointed_at_));
  if (log_pages_ >= policy_.restart_pages) {
    const core::Result<void> done = checkpoint();
    if (!done && done.error().code != core::Code::unavailable) {
      spdlog::warn("store: a checkpoint failed: {}", done.error().message);
    }
  } else if (log_pages_ - checkpointed_at_ >= policy_.pages) {
    checkpointed_at_ = log_pages_;
    policy_.checkpointer->request();
  }
}

core::Result<RetentionSweep::Slice> SqliteUnitWriter::sweep(RetentionSweep& retention) {
  return retention.run_slice(database_, [this](sql::Database& database) -> core::Result<void> {
    PARLEY_TRY(const HomeEpoch standing, read_home_epoch(database));
    return standing == own_epoch_ ? core::Result<void>() : core::fail(owned_elsewhere());
  });
}

core::Result<void> SqliteUnitWriter::checkpoint() {
  return database_.checkpoint(sql::Checkpoint::what_it_can);
}

// Moves all pages and empties the log.
void SqliteUnitWriter::finish() {
  const core::Result<void> emptied = database_.checkpoint(sql::Checkpoint::all);
  if (!emptied) spdlog::warn("store: the last checkpoint failed: {}", emptied.error().message);
}

}  // namespace parley::event
