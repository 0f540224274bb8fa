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
  sqlite3_prepare_v2(database_.handle(),
                     "INSERT INTO events (key, at, direction, type, payload)"
                     " VALUES (?1, ?2, ?3, ?4, ?5)",
                     -1, &insert_, nullptr);
}

void BareStore::insert(std::int64_t session, std::uint64_t seq, core::WallTime at,
                       std::string_view direction, std::string_view type,
                       std::string_view payload) {
  sqlite3_bind_int64(insert_, 1, event::event_key(session, seq));
  sqlite3_bind_int64(insert_, 2, core::to_unix_ms(at));
  bind(3, direction);
  bind(4, type);
  bind(5, payload);
  if (sqlite3_step(insert_) != SQLITE_DONE) give_up(sqlite3_errmsg(database_.handle()));
  sqlite3_reset(insert_);
}

void BareStore::execute(const std::string& sql) {
  const core::Result<void> done = database_.execute(sql.c_str());
  if (!done) give_up(done.error().message);
}

void BareStore::bind(int index, std::string_view text) {
  sqlite3_bind_text(insert_, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

}  // namespace parley::bench
