// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/database.h"

#include "base/core/assert.h"
#include "base/core/result.h"

namespace parley::sql {

core::Result<Database> Database::open(const std::string& path, OpenMode mode,
                                      const std::string& vfs) {
  PARLEY_TRY(auto connection, SqliteConnection::open(path, mode, vfs));
  return Database(std::move(connection));
}

core::Result<Database> Database::connect(PostgresPlace place) {
  PARLEY_TRY(auto connection, PostgresConnection::open(std::move(place)));
  return Database(std::move(connection));
}

core::Result<Statement> Database::prepare(std::string_view sql) {
  PARLEY_TRY(auto cursor, connection_->prepare(sql));
  return Statement(std::move(cursor));
}

core::Result<void> Database::prepare_all(
    std::initializer_list<std::pair<Statement*, std::string>> statements) {
  for (const auto& [statement, sql] : statements) {
    PARLEY_TRY(Statement prepared, prepare(sql));
    *statement = std::move(prepared);
  }
  return {};
}

core::Result<void> Database::begin_sharing() {
  if (engine() == Engine::sqlite) return begin_writing();
  const std::string sql =
      "BEGIN; SELECT pg_advisory_xact_lock_shared(" + write_lock(file_name()) + ")";
  core::Result<void> done = execute(sql.c_str());
  if (!done && in_transaction()) static_cast<void>(execute("ROLLBACK"));
  return done;
}

core::Result<void> Database::begin_reading() {
  // SQLite's transactions see one state of the file.
  return execute(engine() == Engine::sqlite ? "BEGIN"
                                            : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
}

core::Result<void> Database::begin_long_reading() {
  PARLEY_TRY_VOID(begin_reading());
  if (engine() == Engine::sqlite) return {};
  core::Result<void> done = execute("SET LOCAL statement_timeout = 0");
  if (!done && in_transaction()) static_cast<void>(execute("ROLLBACK"));
  return done;
}

core::Result<void> Database::commit_all(std::span<Statement* const> statements) {
  std::vector<Cursor*> cursors;
  cursors.reserve(statements.size());
  for (Statement* const statement : statements) cursors.push_back(statement->cursor_.get());
  return connection_->commit_all(cursors);
}

SqliteConnection& Database::sqlite() {
  PARLEY_ASSERT(engine() == Engine::sqlite, "a call of SQLite on " + file_name());
  return static_cast<SqliteConnection&>(*connection_);
}

}  // namespace parley::sql
