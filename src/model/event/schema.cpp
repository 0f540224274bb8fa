// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/schema.h"

#include <array>

#include "base/core/id.h"
#include "base/core/result.h"
#include "model/event/postgres_tables.h"

namespace parley::event {
namespace {

constexpr std::size_t kEpochBytes = 16;

// Step i migrates version i to i + 1. A released step is never changed.
constexpr std::array<const char*, kSchemaVersion> kSteps = {
    R"sql(
    CREATE TABLE meta (
      key TEXT NOT NULL PRIMARY KEY,
      value TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE sessions (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      dialect TEXT NOT NULL,
      owner TEXT NOT NULL,
      title TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      first_seq INTEGER NOT NULL
    );
    CREATE TABLE events (
      session INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      direction TEXT NOT NULL,
      type TEXT NOT NULL,
      payload TEXT NOT NULL,
      PRIMARY KEY (session, seq)
    ) WITHOUT ROWID;
    CREATE TABLE interactions (
      session INTEGER NOT NULL,
      key TEXT NOT NULL,
      id TEXT NOT NULL,
      kind TEXT NOT NULL,
      state TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      opened_at INTEGER NOT NULL,
      deadline INTEGER NOT NULL,
      opened_seq INTEGER NOT NULL,
      closed_seq INTEGER NOT NULL,
      PRIMARY KEY (session, key)
    ) WITHOUT ROWID;
    )sql",
    // For start-up and retention, which search pending interactions, and the console, which lists
    // the sessions of an owner.
    R"sql(
    CREATE INDEX interactions_pending ON interactions (session, opened_seq)
      WHERE state = 'pending';
    CREATE INDEX sessions_owner ON sessions (owner);
    )sql",
    // See event_key(). Retention counts the events of a session by its numbers, less those that
    // were skipped.
    R"sql(
    ALTER TABLE events RENAME TO events_of_version_2;
    CREATE TABLE events (
      key INTEGER PRIMARY KEY,
      session INTEGER GENERATED ALWAYS AS (key >> 36) VIRTUAL,
      seq INTEGER GENERATED ALWAYS AS (key & 68719476735) VIRTUAL,
      at INTEGER NOT NULL,
      direction TEXT NOT NULL,
      type TEXT NOT NULL,
      payload TEXT NOT NULL
    );
    INSERT INTO events (key, at, direction, type, payload)
      SELECT session << 36 | seq, at, direction, type, payload FROM events_of_version_2
      ORDER BY session, seq;
    DROP TABLE events_of_version_2;
    CREATE INDEX events_skipping ON events (type) WHERE type = 'numbers.skipped';
    )sql",
    // For the console, which lists the most recently active sessions of an owner; see
    // kActiveStepMs.
    R"sql(
    ALTER TABLE sessions ADD COLUMN active_at INTEGER NOT NULL DEFAULT 0;
    UPDATE sessions SET active_at = coalesce((SELECT at FROM events WHERE key > number << 36
      AND key < (number + 1) << 36 ORDER BY key DESC LIMIT 1), 0);
    DROP INDEX sessions_owner;
    CREATE INDEX sessions_active ON sessions (owner, active_at);
    )sql",
    // See decision.h. Interactions that ended before have no row.
    R"sql(
    CREATE TABLE decisions (
      workspace TEXT NOT NULL,
      number INTEGER NOT NULL,
      session INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      closed BLOB NOT NULL,
      hash BLOB NOT NULL,
      PRIMARY KEY (workspace, number)
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX decisions_event ON decisions (session, seq);
    )sql",
    // See InboxQuery: `inbox` is the owner whose people are asked, NULL for other interactions.
    // Before, a second interaction with the same key, the mirror, showed an approval of a run in
    // the inbox. A pending mirror leaves the inbox, and its original takes its place; the next
    // start ends the mirror (model/session/hub.cpp).
    R"sql(
    ALTER TABLE interactions ADD COLUMN inbox TEXT;
    ALTER TABLE interactions ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
    UPDATE interactions SET
      inbox = (SELECT owner FROM sessions WHERE number = session),
      change = CASE WHEN closed_seq > opened_seq THEN closed_seq ELSE opened_seq END
      WHERE session IN (SELECT number FROM sessions WHERE id = 'assistant-' || owner);
    CREATE TABLE mirrors AS SELECT m.session AS mirror, m.key AS key, m.inbox AS inbox,
      m.change AS change, s.number AS original
      FROM interactions m JOIN events e ON e.key = m.session << 36 | m.opened_seq
      JOIN sessions s ON s.owner = m.inbox
      WHERE m.state = 'pending' AND s.number <> m.session AND e.payload LIKE
      '{"id":"' || m.id || '","key":"%","mirror_of":"' || s.id || '",%' AND EXISTS (
      SELECT 1 FROM interactions o WHERE o.session = s.number AND o.key = m.key);
    UPDATE interactions SET (inbox, change) = (SELECT inbox, change FROM mirrors
      WHERE original = interactions.session AND key = interactions.key)
      WHERE EXISTS (SELECT 1 FROM mirrors
      WHERE original = interactions.session AND key = interactions.key);
    UPDATE interactions SET inbox = NULL, change = 0 WHERE EXISTS (SELECT 1 FROM mirrors
      WHERE mirror = interactions.session AND key = interactions.key);
    DROP TABLE mirrors;
    CREATE INDEX interactions_inbox ON interactions (inbox, change) WHERE inbox IS NOT NULL;
    CREATE INDEX interactions_inbox_key ON interactions (inbox, key) WHERE inbox IS NOT NULL;
    CREATE INDEX interactions_inbox_pending ON interactions (inbox, change)
      WHERE state = 'pending' AND inbox IS NOT NULL;
    )sql",
};

}  // namespace

core::Result<void> make_epoch(sql::Database& database, core::Entropy& entropy) {
  const std::string epoch = core::random_hex(entropy, kEpochBytes);
  return database.run("INSERT INTO meta (key, value) VALUES ('epoch', ?1)", epoch);
}

core::Result<int> schema_version(sql::Database& database) {
  PARLEY_TRY(const std::int64_t version, sql::file_version(database, schema().kind()));
  return static_cast<int>(version);
}

core::Result<HomeEpoch> read_home_epoch(sql::Database& database) {
  return database.count(kFindHomeEpoch);
}

core::Result<HomeEpoch> take_home(sql::Database& database) {
  return database.count(
      "INSERT INTO meta (key, value) VALUES ('home_epoch', '1') ON CONFLICT (key) DO UPDATE"
      " SET value = CAST(CAST(meta.value AS BIGINT) + 1 AS TEXT) RETURNING CAST(value AS BIGINT)");
}

sql::Schema schema(int version) {
  return {.application_id = kApplicationId,
          .steps = std::span(kSteps).first(static_cast<std::size_t>(version)),
          .newest_in_postgres = kPostgresTables};
}

core::Result<std::string> read_epoch(sql::Database& database) {
  core::Result<std::optional<std::string>> epoch =
      database.first("SELECT value FROM meta WHERE key = 'epoch'",
                     [](const sql::Statement& row) { return row.string(0); });
  if (!epoch) return core::fail(std::move(epoch.error()));
  if (!*epoch) return core::fail(core::Code::data_loss, "The file events.db has no epoch.");
  return std::move(**epoch);
}

}  // namespace parley::event
