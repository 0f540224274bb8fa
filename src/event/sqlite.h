// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace parley::event {

// For how long another process may hold a lock, in milliseconds.
inline constexpr int kBusyTimeoutMs = 5'000;

// A prepared statement. Belongs to the thread of its Database and must not outlive it.
class Statement {
 public:
  Statement() = default;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  // Parameters count from 1. Texts are not copied: they must live until reset() or run() is over.
  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, std::uint64_t value) {
    return bind(index, static_cast<std::int64_t>(value));
  }
  Statement& bind(int index, int value) { return bind(index, static_cast<std::int64_t>(value)); }
  Statement& bind(int index, std::string_view value);
  Statement& bind_blob(int index, std::string_view bytes);
  Statement& bind_null(int index);

  // Goes to the next row: true if there is one, false at the end.
  core::Result<bool> step();
  // Runs a statement that yields no rows, and resets it.
  core::Result<void> run();
  // Ready to be run again; parameters keep their values.
  void reset();

  // Columns count from 0. Views are valid until the next step() or reset().
  std::int64_t integer(int column) const;
  std::uint64_t number(int column) const { return static_cast<std::uint64_t>(integer(column)); }
  std::string_view text(int column) const;  // also of a blob; empty for NULL
  bool is_null(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// Resets a statement at the end of a scope, so that it holds no read lock.
class StatementScope {
 public:
  explicit StatementScope(Statement& statement) : statement_(statement) {}
  StatementScope(const StatementScope&) = delete;
  StatementScope& operator=(const StatementScope&) = delete;
  ~StatementScope() { statement_.reset(); }

 private:
  Statement& statement_;
};

enum class OpenMode : std::uint8_t { read_only, read_write, create };

// One connection to an SQLite file. Used by one thread at a time.
class Database {
 public:
  Database() = default;

  // `vfs` empty: the default one. Errors as error_of(); a file that is missing is `not_found`.
  static core::Result<Database> open(const std::string& path, OpenMode mode,
                                     const std::string& vfs = {});

  // Runs statements that yield nothing that is wanted, separated by semicolons.
  core::Result<void> execute(const char* sql);
  core::Result<Statement> prepare(std::string_view sql);
  // The first column of the first row of a query, 0 if there is no row.
  core::Result<std::int64_t> query_integer(std::string_view sql);

  std::int64_t changes() const;  // rows changed by the last statement
  bool in_transaction() const;
  // Waits this long for a lock of another process.
  void set_busy_timeout(int ms = kBusyTimeoutMs);

  // The file's name without its folder, for messages: a client need not learn where it is.
  std::string file_name() const;

  sqlite3* handle() const { return database_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

// The Error of what last failed on a connection; names its file. Codes: `resource_exhausted` (disk
// full), `data_loss` (I/O error, damaged file), `unavailable` (locked), `permission_denied`,
// `failed_precondition` (a constraint), `internal` (all else).
core::Error error_of(sqlite3* database);

}  // namespace parley::event
