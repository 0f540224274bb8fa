// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/sql/statement.h"

struct sqlite3;

namespace parley::sql {

// Wait of a connection for a lock that another process holds, in milliseconds.
inline constexpr int kBusyTimeoutMs = 5'000;

enum class OpenMode : std::uint8_t { read_only, read_write, create };

enum class Checkpoint : std::uint8_t { what_it_can, all };

// One connection to an SQLite file. Used by one thread at a time.
class Database {
 public:
  Database() = default;

  // `vfs` empty: the default VFS. Errors as error_of(); `not_found` if the file is missing.
  static core::Result<Database> open(const std::string& path, OpenMode mode,
                                     const std::string& vfs = {});

  // Runs statements, separated by semicolons; rows that they yield are discarded.
  core::Result<void> execute(const char* sql);
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

  std::int64_t changes() const;  // rows changed by the last statement
  bool in_transaction() const;
  // Replaces kBusyTimeoutMs for this connection.
  void set_busy_timeout(int ms);

  // After each commit of this connection, sets *pages to the number of pages in the write-ahead
  // log. `pages` must outlive the connection, or a call with null must unregister it.
  void watch_log(int* pages);
  // Moves pages of the log to the file: as many as possible without waiting for readers, or all, so
  // that the log is empty. Errors: `unavailable` (another connection holds the lock).
  core::Result<void> checkpoint(Checkpoint how);

  // A number that changes when another connection has changed the file.
  core::Result<std::int64_t> data_version() { return integer("PRAGMA data_version"); }
  // Writes the first page of the file as it is, to learn whether the disk takes writes.
  core::Result<void> rewrite_first_page();
  // Runs SQLite's integrity check of the whole file: its messages, at most `limit`; empty for a
  // sound file.
  core::Result<std::vector<std::string>> integrity_faults(std::size_t limit);

  // The file's name without its folder, for messages that clients may see.
  std::string file_name() const;

  sqlite3* handle() const { return database_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

// The Error of the last failed call on a connection; names its file. Codes: `resource_exhausted`
// (disk full), `data_loss` (I/O error, damaged file), `unavailable` (locked), `permission_denied`,
// `failed_precondition` (a constraint), `internal` (all others; with the field kNoMemory: SQLite
// could not allocate memory).
core::Error error_of(sqlite3* database);
inline constexpr std::string_view kNoMemory = "memory";

}  // namespace parley::sql
