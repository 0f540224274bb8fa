// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/staged_group.h"

#include <string>
#include <vector>

#include "base/core/sha256.h"
#include "base/core/time_text.h"
#include "base/sql/postgres_engine.h"
#include "model/event/schema.h"

namespace parley::event {

core::Result<void> StagedGroup::prepare(sql::Database& database) {
  const std::string home = sql::write_lock(database.file_name());
  return database.prepare_all({
      {&statements_.lock, "SELECT pg_advisory_xact_lock_shared(" + home +
                              "), pg_advisory_xact_lock_shared(" + std::string(kWriterLock) +
                              "), " + share_slots("?2")},
      // A statement of its own: its snapshot is taken when the locks are held.
      {&statements_.expect,
       "SELECT parley_events.expect(" + homes_stand("?1", "?2") +
           ", 'home'), parley_events.expect(EXISTS (SELECT 1 FROM parley_writers WHERE id = ?3),"
           " 'writer')"},
      {&statements_.sessions,
       "INSERT INTO sessions (number, id, dialect, owner, title, created_at, first_seq)"
       " SELECT t.*, 1 FROM unnest(?1, ?2, ?3, ?4, ?5, ?6) AS t"},
      {&statements_.titles,
       "UPDATE sessions SET title = t.title FROM unnest(?1, ?2) AS t(number, title)"
       " WHERE sessions.number = t.number"},
      {&statements_.events,
       "INSERT INTO events (key, at, direction, type, payload)"
       " SELECT * FROM unnest(?1, ?2, ?3, ?4, ?5)"},
      {&statements_.changes,
       "SELECT parley_events.change_interactions(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
       " ?12, ?13, ?14, ?15)"},
      {&statements_.activity,
       "UPDATE sessions SET active_at = t.at FROM unnest(?1, ?2) AS t(number, at)"
       " WHERE sessions.number = t.number"},
  });
}

void StagedGroup::clear() {
  Sessions& s = sessions_;
  for (sql::Array* each : {&s.numbers, &s.ids, &s.dialects, &s.owners, &s.titles, &s.created}) {
    each->clear();
  }
  Events& e = events_;
  for (sql::Array* each : {&e.keys, &e.ats, &e.directions, &e.types, &e.payloads}) each->clear();
  Changes& c = changes_;
  for (sql::Array* each :
       {&c.owners, &c.sessions, &c.session_ids, &c.opens, &c.keys, &c.ids, &c.kinds, &c.states,
        &c.fingerprints, &c.ats, &c.at_texts, &c.deadlines, &c.seqs, &c.in_inbox, &c.digests}) {
    each->clear();
  }
  titles_.clear();
  activity_.clear();
  homes_.clear();
  home_columns_.clear();
}

bool StagedGroup::add_home(const placement::TakenSlot& home) {
  const auto [known, is_new] = homes_.try_emplace(home.slot, home.epoch);
  if (is_new) home_columns_.add(home);
  return known->second == home.epoch;
}

void StagedGroup::add_session(std::int64_t number, const SessionRow& row) {
  sessions_.numbers.add(number);
  sessions_.ids.add(row.id);
  sessions_.dialects.add(row.dialect);
  sessions_.owners.add(row.owner);
  sessions_.titles.add(row.title);
  sessions_.created.add(core::to_unix_ms(row.created_at));
}

void StagedGroup::set_title(std::int64_t number, std::string_view title) {
  titles_[number] = title;
}

void StagedGroup::add_event(std::int64_t number, const Event& event) {
  events_.keys.add(event_key(number, event.seq));
  events_.ats.add(core::to_unix_ms(event.at));
  events_.directions.add(event.direction);
  events_.types.add(event.type);
  events_.payloads.add(event.payload);
}

void StagedGroup::add_change(std::int64_t number, std::string_view owner, const DerivedRow& row,
                             const Event& event) {
  changes_.owners.add(owner);
  changes_.sessions.add(number);
  changes_.session_ids.add(row.session);
  changes_.opens.add(row.opens ? 1 : 0);
  changes_.keys.add(row.key);
  changes_.ids.add(row.id);
  changes_.kinds.add(row.kind);
  changes_.states.add(row.state);
  changes_.fingerprints.add(row.fingerprint);
  changes_.ats.add(core::to_unix_ms(event.at));
  changes_.at_texts.add(core::time_text_ms(event.at));
  changes_.deadlines.add(core::to_unix_ms(row.deadline));
  changes_.seqs.add(static_cast<std::int64_t>(event.seq));
  changes_.in_inbox.add(row.in_inbox ? 1 : 0);
  changes_.digests.add(row.opens ? std::string_view() : core::sha256(event.payload));
}

void StagedGroup::note_activity(std::int64_t number, std::int64_t at) { activity_[number] = at; }

core::Result<void> StagedGroup::commit(sql::Database& database, std::int64_t writer) {
  const HomeColumns& homes = home_columns_;
  std::vector<sql::Statement*> group = {
      &statements_.lock.bind_all(writer, homes.slots),
      &statements_.expect.bind_all(homes.slots, homes.epochs, writer)};
  if (!sessions_.ids.empty()) {
    group.push_back(&statements_.sessions.bind_all(sessions_.numbers, sessions_.ids,
                                                   sessions_.dialects, sessions_.owners,
                                                   sessions_.titles, sessions_.created));
  }
  if (!titles_.empty()) {
    title_numbers_.clear();
    title_texts_.clear();
    for (const auto& [number, title] : titles_) {
      title_numbers_.add(number);
      title_texts_.add(title);
    }
    group.push_back(&statements_.titles.bind_all(title_numbers_, title_texts_));
  }
  if (!events_.keys.empty()) {
    group.push_back(&statements_.events.bind_all(events_.keys, events_.ats, events_.directions,
                                                 events_.types, events_.payloads));
  }
  if (!changes_.keys.empty()) {
    const Changes& c = changes_;
    group.push_back(&statements_.changes.bind_all(
        c.owners, c.sessions, c.session_ids, c.opens, c.keys, c.ids, c.kinds, c.states,
        c.fingerprints, c.ats, c.at_texts, c.deadlines, c.seqs, c.in_inbox, c.digests));
  }
  if (!activity_.empty()) {
    active_numbers_.clear();
    active_ats_.clear();
    for (const auto& [number, at] : activity_) {
      active_numbers_.add(number);
      active_ats_.add(at);
    }
    group.push_back(&statements_.activity.bind_all(active_numbers_, active_ats_));
  }
  return database.commit_all(group);
}

}  // namespace parley::event
