// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/postgres_unit_writer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/core/assert.h"
#include "base/core/contain.h"
#include "base/sql/transaction.h"
#include "model/event/home_fence.h"
#include "model/event/retention.h"
#include "model/event/schema.h"
#include "model/event/unit_check.h"

namespace parley::event {
namespace {

// Pauses between tries to reach the database.
constexpr std::chrono::milliseconds kFirstPause{20};
constexpr std::chrono::milliseconds kLongestPause{1'000};

// Its home does the work that concerns all sessions.
constexpr placement::Slot kSlotOfAll = 0;

// True for errors that say nothing about the units: the database is away, or the transaction has
// to be tried again.
bool is_passing(const core::Error& error) {
  return error.code == core::Code::unavailable || error.field == StagedGroup::kWriterField;
}

// The error of a unit that was written alone.
core::Error error_of_unit(core::Error error) {
  if (error.field == StagedGroup::kInteractionField) return interaction_is_final();
  return error;
}

}  // namespace

core::Result<std::unique_ptr<PostgresUnitWriter>> PostgresUnitWriter::make(
    sql::Database database, std::size_t max_cached_sessions, Shared& shared) {
  // The constructor is private, so make_unique cannot reach it.
  std::unique_ptr<PostgresUnitWriter> writer(
      new PostgresUnitWriter(std::move(database), max_cached_sessions, shared));
  PARLEY_TRY_VOID(writer->prepare());
  PARLEY_TRY_VOID(writer->register_writer());
  return writer;
}

PostgresUnitWriter::PostgresUnitWriter(sql::Database database, std::size_t max_cached_sessions,
                                       Shared& shared)
    : database_(std::move(database)), max_cached_sessions_(max_cached_sessions), shared_(shared) {}

core::Result<void> PostgresUnitWriter::prepare() {
  PARLEY_TRY_VOID(staged_.prepare(database_));
  // A session without a row gets the number that its row will have, if the row is written now.
  return database_.prepare_all({
      {&find_places_,
       "SELECT w.id, s.number, coalesce((SELECT key & 68719476735 FROM events WHERE"
       " key > s.number << 36 AND key < (s.number + 1) << 36 ORDER BY key DESC LIMIT 1),"
       " s.first_seq - 1), s.active_at, s.owner, s.dialect, CASE WHEN s.number IS NULL AND"
       " w.makes = 1 THEN nextval(pg_get_serial_sequence('parley_events.sessions', 'number')) END"
       " FROM unnest(?1, ?2) AS w(id, makes) LEFT JOIN sessions s ON s.id = w.id"},
  });
}

// The lock waits for the end of a transaction of the last registration that is still in progress;
// one that begins later finds the registration gone.
core::Result<void> PostgresUnitWriter::register_writer() {
  if (database_.in_transaction()) static_cast<void>(database_.execute("ROLLBACK"));
  PARLEY_TRY_VOID(database_.execute("BEGIN"));
  const auto registered = [this]() -> core::Result<std::int64_t> {
    if (writer_ != 0) {
      PARLEY_TRY_VOID(
          database_.run("SELECT pg_advisory_xact_lock(" + std::string(kWriterLock) + ")", writer_));
      PARLEY_TRY_VOID(database_.run("DELETE FROM parley_writers WHERE id = ?1", writer_));
    }
    PARLEY_TRY(const std::int64_t id,
               database_.integer("INSERT INTO parley_writers DEFAULT VALUES RETURNING id"));
    PARLEY_TRY_VOID(database_.execute("COMMIT"));
    return id;
  }();
  if (!registered) {
    if (database_.in_transaction()) static_cast<void>(database_.execute("ROLLBACK"));
    return core::fail(registered.error());
  }
  writer_ = *registered;
  return {};
}

void PostgresUnitWriter::write(std::span<const Unit* const> units,
                               std::vector<core::Result<Revision>>& results) {
  if (places_.size() > max_cached_sessions_) places_.clear();
  results.assign(units.size(), Revision{0});
  Group group{units, results};
  Indices batch;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!units[i]->drop) {
      batch.push_back(i);
      continue;
    }
    write_batch(group, std::exchange(batch, {}));
    results[i] = write_drop(*units[i]);
  }
  write_batch(group, std::move(batch));
}

void PostgresUnitWriter::write_batch(Group& group, Indices batch) {
  bool is_sent = false;
  while (true) {
    core::Result<void> done =
        core::contain("event writer", [&] { return try_batch(group, batch, is_sent); });
    if (done) {
      const std::uint64_t commit = ++shared_.commits;
      for (const std::size_t i : batch) {
        group.results[i] = revision_of(group.units[i]->home_epoch, commit);
      }
      return;
    }
    core::Error& error = done.error();
    const bool may_pass = is_passing(error) || error.field == kHomeField;
    const bool goes_on = may_pass && tries_again(group, batch, error);
    places_.clear();
    if (goes_on) continue;
    if (!may_pass && batch.size() > 1) {
      for (const std::size_t i : batch) write_batch(group, {i});
      return;
    }
    error = error_of_unit(std::move(error));
    for (const std::size_t i : batch) group.results[i] = core::fail(error);
    return;
  }
}

bool PostgresUnitWriter::tries_again(Group& group, Indices& batch, core::Error& error) {
  if (error.field == kHomeField) {
    const std::size_t before = batch.size();
    const core::Result<void> dropped =
        core::contain("event writer", [&] { return drop_lost(group, batch); });
    if (dropped && batch.size() == before) error = owned_elsewhere();
    if (dropped) return batch.size() < before;
    error = dropped.error();
  }
  return is_passing(error) && wait_for_database(error);
}

// `is_sent`: whether an earlier try was sent, so that it may have been done; set by this one.
core::Result<void> PostgresUnitWriter::try_batch(Group& group, Indices& batch, bool& is_sent) {
  PARLEY_TRY_VOID(load_places(group, batch));
  if (is_sent) {
    PARLEY_TRY_VOID(drop_lost(group, batch));
    accept_stored(group, batch);
  }
  stage_all(group, batch);
  if (batch.empty()) return {};
  is_sent = true;
  return staged_.commit(database_, writer_);
}

core::Result<void> PostgresUnitWriter::load_places(const Group& group, const Indices& batch) {
  sql::Array ids(sql::Array::Of::texts);
  sql::Array makes(sql::Array::Of::integers);
  struct Wanted {
    HomeEpoch epoch = 0;
    const SessionRow* made = nullptr;  // the row that a unit inserts, if there is none
  };
  std::map<std::string_view, Wanted> wanted;
  for (const std::size_t i : batch) {
    const Unit& unit = *group.units[i];
    const std::string_view session = named_session(unit);
    const auto known = places_.find(session);
    if (session.empty() || (known != places_.end() && known->second.epoch == unit.home_epoch)) {
      continue;
    }
    Wanted& one = wanted[session];
    one.epoch = unit.home_epoch;
    if (unit.session) one.made = &*unit.session;
  }
  if (wanted.empty()) return {};
  for (const auto& [id, one] : wanted) {
    ids.add(id);
    makes.add(one.made != nullptr ? 1 : 0);
  }
  return find_places_.bind_all(ids, makes).each([this, &wanted](const sql::Statement& row) {
    const std::string id = row.string(0);
    const Wanted& one = wanted.at(id);
    const bool is_stored = !row.is_null(1);
    if (!is_stored && one.made == nullptr) {
      places_.erase(id);
      return;
    }
    Place& place = places_[id];
    place = {one.epoch,      row.integer(is_stored ? 1 : 6),
             is_stored,      row.number(2),
             row.integer(3), row.string(4),
             row.string(5)};
    if (!is_stored) place.owner = one.made->owner;
  });
}

// After a commit with an unknown outcome: the whole transaction was committed, or nothing of it.
// The homes stood after the places were read, so that stored events are of this node.
void PostgresUnitWriter::accept_stored(Group& group, Indices& batch) {
  std::erase_if(batch, [&](std::size_t i) {
    const Unit& unit = *group.units[i];
    if (unit.events.empty()) return false;
    const Place* const place = find(unit.events.front().session);
    const bool stored = place != nullptr && place->last_seq >= unit.events.back().seq;
    if (stored) group.results[i] = next_revision(unit);
    return stored;
  });
}

core::Result<void> PostgresUnitWriter::drop_lost(Group& group, Indices& batch) {
  const auto slot = [&](std::size_t i) { return placement::slot_of(owner_of(*group.units[i])); };
  std::vector<placement::TakenSlot> homes;
  for (const std::size_t i : batch) homes.push_back({slot(i), group.units[i]->home_epoch});
  if (homes.empty()) return {};
  PARLEY_TRY(const placement::SlotSet lost, lost_homes(database_, homes));
  std::erase_if(batch, [&](std::size_t i) {
    const bool is_lost = lost.test(slot(i));
    if (is_lost) group.results[i] = core::fail(owned_elsewhere());
    return is_lost;
  });
  return {};
}

// Units that cannot be stored leave the batch.
void PostgresUnitWriter::stage_all(Group& group, Indices& batch) {
  staged_.clear();
  std::erase_if(batch, [&](std::size_t i) {
    core::Result<void> staged = stage(*group.units[i]);
    if (!staged) group.results[i] = core::fail(std::move(staged.error()));
    return !staged;
  });
}

core::Result<void> PostgresUnitWriter::stage(const Unit& unit) {
  PARLEY_TRY(const std::string* const session, checked_session(unit));
  PARLEY_TRY(const placement::TakenSlot home, home_of(owner_of(unit), unit.home_epoch));
  Place* const place = find(*session);
  const bool is_stored = place != nullptr && place->is_stored;
  PARLEY_TRY_VOID(check_place(unit, is_stored, is_stored ? place->last_seq : 0));
  PARLEY_ASSERT(place != nullptr, "session " + *session + " has no row and no number");
  if (!staged_.add_home(home)) return core::fail(owned_elsewhere());
  if (unit.session) PARLEY_TRY_VOID(stage_session(*place, *unit.session));
  for (const InteractionChange& change : unit.changes) {
    PARLEY_TRY(const DerivedRow row, derive_row(unit, change));
    staged_.add_change(place->number, place->owner, row, unit.events[change.event]);
  }
  stage_events(*place, unit.events);
  return {};
}

core::Result<void> PostgresUnitWriter::stage_session(Place& place, const SessionRow& row) {
  if (place.is_stored) {
    if (place.owner != row.owner || place.dialect != row.dialect) {
      return core::fail(session_of_another());
    }
    staged_.set_title(place.number, row.title);
    return {};
  }
  if (place.number > kMaxSessionNumber) return core::fail(too_many_sessions());
  place.is_stored = true;
  place.owner = row.owner;
  place.dialect = row.dialect;
  staged_.add_session(place.number, row);
  return {};
}

void PostgresUnitWriter::stage_events(Place& place, const std::vector<Event>& events) {
  if (events.empty()) return;
  for (const Event& event : events) {
    staged_.add_event(place.number, event);
    place.last_seq = event.seq;
  }
  const std::int64_t at = core::to_unix_ms(events.back().at);
  // A time before active_at (the clock was set back) is stored too.
  if (place.active_at <= at && at < place.active_at + kActiveStepMs) return;
  place.active_at = at;
  staged_.note_activity(place.number, at);
}

PostgresUnitWriter::Place* PostgresUnitWriter::find(std::string_view session) {
  const auto found = places_.find(session);
  return found == places_.end() ? nullptr : &found->second;
}

std::string_view PostgresUnitWriter::owner_of(const Unit& unit) {
  const Place* const place = find(named_session(unit));
  if (place != nullptr && (place->is_stored || !unit.session)) return place->owner;
  return unit.session ? std::string_view(unit.session->owner) : std::string_view();
}

core::Result<placement::TakenSlot> PostgresUnitWriter::home_of(std::string_view owner,
                                                               HomeEpoch epoch) const {
  const placement::Slot slot = placement::slot_of(owner);
  if (epoch == 0 || shared_.homes.epoch(slot) != epoch) return core::fail(owned_elsewhere());
  return placement::TakenSlot{slot, epoch};
}

core::Result<Revision> PostgresUnitWriter::write_drop(const Unit& unit) {
  while (true) {
    const core::Result<void> done = core::contain("event writer", [&] { return drop_once(unit); });
    if (done) return next_revision(unit);
    // A second drop changes nothing: the outcome of the first try is of no interest.
    if (!is_passing(done.error()) || !wait_for_database(done.error())) {
      return core::fail(done.error());
    }
  }
}

core::Result<void> PostgresUnitWriter::drop_once(const Unit& unit) {
  const HistoryDrop& drop = *unit.drop;
  PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin_sharing(database_));
  sql::Array ids(sql::Array::Of::texts);
  sql::Array makes(sql::Array::Of::integers);
  ids.add(drop.session);
  makes.add(0);
  const auto read = [](const sql::Statement& row) {
    return std::tuple(row.integer(1), row.number(2), row.string(4));
  };
  PARLEY_TRY(const auto found, find_places_.bind_all(ids, makes).first(read));
  if (!found || std::get<0>(*found) == 0) return core::fail(no_such_session());
  const auto& [number, last_seq, owner] = *found;
  PARLEY_TRY(const placement::TakenSlot home, home_of(owner, unit.home_epoch));
  PARLEY_TRY_VOID(share_home(database_, home));
  PARLEY_TRY_VOID(drop_decided_history(database_, number, std::min(drop.before, last_seq + 1)));
  return transaction.commit();
}

Revision PostgresUnitWriter::next_revision(const Unit& unit) {
  return revision_of(unit.home_epoch, ++shared_.commits);
}

core::Result<void> PostgresUnitWriter::probe() {
  PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin_sharing(database_));
  PARLEY_TRY_VOID(database_.execute("UPDATE meta SET value = value WHERE key = 'epoch'"));
  PARLEY_TRY_VOID(check());
  return transaction.commit();
}

// A server that is alone has lost all of its homes if it has lost the one of this slot.
core::Result<void> PostgresUnitWriter::check() {
  const placement::TakenSlot home{kSlotOfAll, shared_.homes.epoch(kSlotOfAll)};
  PARLEY_TRY(const placement::SlotSet lost, lost_homes(database_, std::span(&home, 1)));
  return shared_.is_alone && lost.any() ? core::fail(owned_elsewhere()) : core::Result<void>();
}

// One node sweeps the sessions of all.
core::Result<RetentionSweep::Slice> PostgresUnitWriter::sweep(RetentionSweep& retention) {
  const placement::TakenSlot home{kSlotOfAll, shared_.homes.epoch(kSlotOfAll)};
  if (home.epoch == 0) return RetentionSweep::Slice{0, true};
  core::Result<RetentionSweep::Slice> slice = retention.run_slice(
      database_, [&home](sql::Database& database) { return share_home(database, home); });
  const bool is_of_another = !slice && slice.error().code == core::Code::owned_elsewhere;
  if (is_of_another && !shared_.is_alone) return RetentionSweep::Slice{0, true};
  return slice;
}

void PostgresUnitWriter::finish() {
  const core::Result<void> done =
      database_.run("DELETE FROM parley_writers WHERE id = ?1", writer_);
  if (!done) spdlog::warn("store: a connection was not signed off: {}", done.error().message);
}

void PostgresUnitWriter::watch_waits(std::function<void(const core::Error&)> waits) {
  waits_ = std::move(waits);
}

void PostgresUnitWriter::give_up() {
  {
    const std::scoped_lock lock(mutex_);
    give_up_at_ = std::chrono::steady_clock::now() + kLastPatience;
  }
  given_up_.notify_all();
}

bool PostgresUnitWriter::wait_for_database(core::Error error) {
  std::chrono::milliseconds delay = kFirstPause;
  while (true) {
    if (waits_) waits_(error);
    const core::Result<void> registered = register_writer();
    if (registered) return true;
    error = registered.error();
    if (!pause(delay)) return false;
    delay = std::min(2 * delay, kLongestPause);
  }
}

bool PostgresUnitWriter::pause(std::chrono::milliseconds delay) {
  std::unique_lock lock(mutex_);
  const auto until = std::chrono::steady_clock::now() + delay;
  const bool ends = give_up_at_.has_value();
  given_up_.wait_until(lock, until, [&] { return !ends && give_up_at_.has_value(); });
  if (!give_up_at_) return true;
  return std::chrono::steady_clock::now() < *give_up_at_;
}

}  // namespace parley::event
