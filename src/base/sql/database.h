// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/sql/engine.h"
#include "base/sql/postgres_engine.h"
#include "base/sql/sqlite_engine.h"
#include "base/sql/statement.h"

namespace parley::sql {

// Wait of a connection for a lock that another process holds, in milliseconds.
inline constexpr int kBusyTimeoutMs = 5'000;

// One connection to the tables of a store: an SQLite file, or a schema of a PostgreSQL database.
// Used by one thread at a time. Errors of all calls, which name the file or schema:
// `resource_exhausted` (disk full), `data_loss` (I/O error, damaged file), `unavailable` (locked,
// or no connection), `permission_denied`, `failed_precondition` (a constraint), `internal` (all
// others; with the field kNoMemory: SQLite could not allocate memory).
class Database {
 public:
  Database() = default;

  // An SQLite file. `vfs` empty: the default VFS. Error: `not_found`.
  static core::Result<Database> open(const std::string& path, OpenMode mode,
                                     const std::string& vfs = {});

  // A schema of a PostgreSQL database. Errors besides those above: `not_found` (no such database),
  // `failed_precondition` (a server older than 15).
  static core::Result<Database> connect(PostgresPlace place);

  // Runs statements, separated by semicolons; rows that they yield are discarded.
  core::Result<void> execute(const char* sql) { return connection_->execute(sql); }
  // The same for statements that make or change tables.
  core::Result<void> create(const std::string& ddl) { return connection_->create(ddl); }
  void know_tables(std::string_view ddl) { connection_->know_tables(ddl); }
  core::Result<Statement> prepare(std::string_view sql);

  // Prepares each statement of a store into its place.
  core::Result<void> prepare_all(
      std::initializer_list<std::pair<Statement*, std::string>> statements);

  // The calls below prepare one statement, with `values` for ?1, ?2 and so on, and run it to its
  // end as the members of Statement with these names do.
  template <typename... Values>
  core::Result<void> run(std::string_view sql, const Values&... values) {
    PARLEY_TRY(Statement statement, prepare(sql));
    return statement.bind_all(values...).run();
  }
  template <typename Use, typename... Values>
  core::Result<void> each(std::string_view sql, Use use, const Values&... values) {
    PARLEY_TRY(Statement statement, prepare(sql));
    return statement.bind_all(values...).each(use);
  }
  template <typename Read, typename... Values>
  core::Result<std::vector<RowOf<Read>>> rows(std::string_view sql, Read read,
                                              const Values&... values) {
    PARLEY_TRY(Statement statement, prepare(sql));
    return statement.bind_all(values...).rows(read);
  }
  template <typename Read, typename... Values>
  core::Result<std::optional<RowOf<Read>>> first(std::string_view sql, Read read,
                                                 const Values&... values) {
    PARLEY_TRY(Statement statement, prepare(sql));
    return statement.bind_all(values...).first(read);
  }
  template <typename... Values>
  core::Result<std::int64_t> integer(std::string_view sql, const Values&... values) {
    PARLEY_TRY(Statement statement, prepare(sql));
    return statement.bind_all(values...).first_integer();
  }
  template <typename... Values>
  core::Result<std::uint64_t> count(std::string_view sql, const Values&... values) {
    return integer(sql, values...).map([](std::int64_t n) {
      return static_cast<std::uint64_t>(n);
    });
  }

  Engine engine() const { return connection_->engine(); }
  std::int64_t changes() const {
    return connection_->changes();
  }  // rows changed by the last statement
  bool in_transaction() const { return connection_->in_transaction(); }
  // Begins a write transaction and takes the lock of all writers of the store at once.
  core::Result<void> begin_writing() { return connection_->begin_writing(); }
  // Begins a write transaction that may run beside others of its kind, but not beside one of
  // begin_writing(). In a file it is one of begin_writing().
  core::Result<void> begin_sharing();
  // Begins a transaction of reads, which all see the same state of the store.
  core::Result<void> begin_reading();
  // The same for statements that may take longer than kStatementTimeout.
  core::Result<void> begin_long_reading();
  // Runs statements, whose rows are discarded, in a transaction of their own, which is sent at
  // once: if this process stops in the middle, the transaction does not stay open. An error says
  // that nothing is stored, except for `unavailable`: whether the transaction was committed is
  // then not known. PostgreSQL alone.
  core::Result<void> commit_all(std::span<Statement* const> statements);
  // A number that changes when another connection has changed the tables.
  core::Result<std::int64_t> data_version() { return connection_->data_version(); }
  // Messages of an integrity check of the whole store, at most `limit`; empty for a sound one.
  core::Result<std::vector<std::string>> integrity_faults(std::size_t limit) {
    return connection_->integrity_faults(limit);
  }
  // The file's name without its folder, or that of the schema, for messages that clients may see.
  std::string file_name() const { return connection_->name(); }

  // The calls below are for SQLite alone.
  //
  // Replaces kBusyTimeoutMs for this connection.
  void set_busy_timeout(int ms) { sqlite().set_busy_timeout(ms); }
  // After each commit of this connection, sets *pages to the number of pages in the write-ahead
  // log. `pages` must outlive the connection, or a call with null must unregister it.
  void watch_log(int* pages) { sqlite().watch_log(pages); }
  // Moves pages of the log to the file: as many as possible without waiting for readers, or all, so
  // that the log is empty. Errors: `unavailable` (another connection holds the lock).
  core::Result<void> checkpoint(Checkpoint how) { return sqlite().checkpoint(how); }
  // Writes the first page of the file as it is, to learn whether the disk takes writes.
  core::Result<void> rewrite_first_page() { return sqlite().rewrite_first_page(); }

 private:
  explicit Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
  SqliteConnection& sqlite();

  std::unique_ptr<Connection> connection_;
};

// Names, in Error::field, an SQLite that could not allocate memory.
inline constexpr std::string_view kNoMemory = "memory";

}  // namespace parley::sql
