// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "bare_store.h"

#include <utility>

#include "base/core/entropy.h"
#include "give_up.h"
#include "model/event/schema.h"

namespace parley::bench {

BareStore::BareStore(const std::string& path, int checkpoint_pages) {
  core::SystemEntropy entropy;
  core::Result<sql::Database> database = sql::Database::open(path, sql::OpenMode::create);
  if (!database) give_up(database.error().message);
  database_ = std::move(*database);
  execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;"
      " PRAGMA wal_autocheckpoint = " +
      std::to_string(checkpoint_pages));
  const core::Result<void> migrated =
      sql::migrate(database_, event::schema(),
                   [&entropy](sql::Database& file) { return event::make_epoch(file, entropy); });
  if (!migrated) give_up(migrated.error().message);
  // The hook takes the place of SQLite's own checkpoints.
  if (checkpoint_pages == 0) database_.watch_log(&log_pages_);
  core::Result<sql::Statement> insert = database_.prepare(
      "INSERT INTO events (key, at, direction, type, payload) VALUES (?1, ?2, ?3, ?4, ?5)");
  if (!insert) give_up(insert.error().message);
  insert_ = std::move(*insert);
}

void BareStore::insert(std::int64_t session, std::uint64_t seq, core::WallTime at,
                       std::string_view direction, std::string_view type,
                       std::string_view payload) {
  const core::Result<void> done =
      insert_.bind_all(event::event_key(session, seq), at, direction, type, payload).run();
  if (!done) give_up(done.error().message);
}

void BareStore::execute(const std::string& sql) {
  const core::Result<void> done = database_.execute(sql.c_str());
  if (!done) give_up(done.error().message);
}

}  // namespace parley::bench
