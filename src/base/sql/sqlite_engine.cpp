// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/sqlite_engine.h"

#include <sqlite3.h>

#include <utility>

#include "base/core/assert.h"
#include "base/core/loop_thread.h"
#include "base/core/result.h"
#include "base/sql/database.h"
#include "base/sql/transaction.h"

namespace parley::sql {
namespace {

core::Code code_of(int primary) {
  switch (primary) {
    case SQLITE_FULL:
      return core::Code::resource_exhausted;
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return core::Code::data_loss;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return core::Code::unavailable;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      return core::Code::permission_denied;
    case SQLITE_CANTOPEN:
      return core::Code::not_found;
    case SQLITE_CONSTRAINT:
      return core::Code::failed_precondition;
    default:
      return core::Code::internal;
  }
}

// Empty for an in-memory database.
std::string file_name_of(sqlite3* database) {
  const char* path = sqlite3_db_filename(database, nullptr);
  const std::string_view text = path == nullptr ? "" : path;
  return std::string(text.substr(text.rfind('/') + 1));
}

std::string sentence(const std::string& file, int extended, const char* what) {
  std::string text = "The file " + file + " failed: ";
  text += what;
  text += " (SQLite code ";
  text += std::to_string(extended);
  text += ").";
  return text;
}

int open_flags(OpenMode mode) {
  switch (mode) {
    case OpenMode::read_only:
      return SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
    case OpenMode::read_write:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    case OpenMode::create:
      break;
  }
  return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
}

int remember_log_pages(void* pages, sqlite3* /*database*/, const char* /*name*/, int count) {
  *static_cast<int*>(pages) = count;
  return SQLITE_OK;
}

// The Error of the last failed call on a connection.
core::Error error_of(sqlite3* database) {
  const int extended = sqlite3_extended_errcode(database);
  // The low byte of an extended code is the primary one.
  const int primary = static_cast<int>(static_cast<unsigned>(extended) & 0xffU);
  // The index of a write-ahead log is mapped: that fails for lack of address space.
  const bool no_memory = primary == SQLITE_NOMEM || extended == SQLITE_IOERR_SHMMAP;
  return {code_of(primary), sentence(file_name_of(database), extended, sqlite3_errmsg(database)),
          std::string(no_memory ? kNoMemory : std::string_view())};
}

class SqliteCursor final : public Cursor {
 public:
  explicit SqliteCursor(sqlite3_stmt* statement) : statement_(statement) {}

  void bind_integer(int index, std::int64_t value) override {
    sqlite3_bind_int64(statement_.get(), index, value);
  }
  void bind_text(int index, std::string_view value) override {
    // A null pointer would bind NULL, and the data pointer of an empty view may be null.
    const char* data = value.data() == nullptr ? "" : value.data();
    sqlite3_bind_text64(statement_.get(), index, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  void bind_blob(int index, std::string_view bytes) override {
    const char* data = bytes.data() == nullptr ? "" : bytes.data();
    sqlite3_bind_blob64(statement_.get(), index, data, bytes.size(), SQLITE_STATIC);
  }
  void bind_null(int index, bool /*of_integers*/) override {
    sqlite3_bind_null(statement_.get(), index);
  }

  void bind_array(int index, const Array& array) override {
    PARLEY_ASSERT(array.empty(), "parameter " + std::to_string(index) + " is an array of " +
                                     std::to_string(array.size()) +
                                     " values, which SQLite has not");
  }

  core::Result<bool> step() override {
    core::assert_may_block("SQLite");
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return core::fail(error_of(sqlite3_db_handle(statement_.get())));
  }
  void reset() override { sqlite3_reset(statement_.get()); }

  std::int64_t integer(int column) const override {
    return sqlite3_column_int64(statement_.get(), column);
  }
  std::string_view text(int column) const override {
    const void* data = sqlite3_column_blob(statement_.get(), column);
    if (data == nullptr) return {};
    const int size = sqlite3_column_bytes(statement_.get(), column);
    return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
  }
  bool is_null(int column) const override {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace

void SqliteConnection::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

core::Result<std::unique_ptr<SqliteConnection>> SqliteConnection::open(const std::string& path,
                                                                       OpenMode mode,
                                                                       const std::string& vfs) {
  core::assert_may_block("SQLite");
  // Turns off SQLite's memory statistics, which are not used and would cost a lock at each
  // allocation. If SQLite was used before, it ignores the call, which does no harm.
  static const int configured = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  static_cast<void>(configured);
  sqlite3* raw = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &raw, open_flags(mode), vfs.empty() ? nullptr : vfs.c_str());
  auto connection = std::make_unique<SqliteConnection>();
  connection->database_.reset(raw);
  if (raw == nullptr) {
    return core::fail(core::Code::internal, "SQLite could not allocate memory.",
                      std::string(kNoMemory));
  }
  if (code != SQLITE_OK) {
    core::Error error = error_of(raw);
    error.message = "Cannot open " + path + ". " + error.message;
    return core::fail(std::move(error));
  }
  sqlite3_extended_result_codes(raw, 1);
  connection->set_busy_timeout(kBusyTimeoutMs);
  return connection;
}

core::Result<void> SqliteConnection::execute(const char* sql) {
  core::assert_may_block("SQLite");
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return core::fail(error_of(database_.get()));
  }
  return {};
}

core::Result<std::unique_ptr<Cursor>> SqliteConnection::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  auto cursor = std::make_unique<SqliteCursor>(raw);
  if (code != SQLITE_OK) return core::fail(error_of(database_.get()));
  return cursor;
}

core::Result<void> SqliteConnection::begin_writing() { return execute(kBeginWriting); }

core::Result<void> SqliteConnection::commit_all(std::span<Cursor* const> cursors) {
  PARLEY_ASSERT(cursors.empty(), "a group of " + std::to_string(cursors.size()) +
                                     " statements is sent at once, which is for PostgreSQL");
  return {};
}

std::int64_t SqliteConnection::changes() const { return sqlite3_changes64(database_.get()); }

bool SqliteConnection::in_transaction() const {
  return sqlite3_get_autocommit(database_.get()) == 0;
}

core::Result<std::int64_t> SqliteConnection::first_integer(const char* sql) {
  PARLEY_TRY(const std::unique_ptr<Cursor> cursor, prepare(sql));
  PARLEY_TRY(const bool row, cursor->step());
  return row ? cursor->integer(0) : 0;
}

core::Result<std::int64_t> SqliteConnection::data_version() {
  return first_integer("PRAGMA data_version");
}

core::Result<std::vector<std::string>> SqliteConnection::integrity_faults(std::size_t limit) {
  PARLEY_TRY(const std::unique_ptr<Cursor> cursor,
             prepare("PRAGMA integrity_check(" + std::to_string(limit) + ")"));
  std::vector<std::string> faults;
  while (true) {
    PARLEY_TRY(const bool row, cursor->step());
    if (!row) break;
    if (cursor->text(0) != "ok") faults.emplace_back(cursor->text(0));
  }
  return faults;
}

std::string SqliteConnection::name() const { return file_name_of(database_.get()); }

void SqliteConnection::set_busy_timeout(int ms) { sqlite3_busy_timeout(database_.get(), ms); }

void SqliteConnection::watch_log(int* pages) {
  sqlite3_wal_hook(database_.get(), pages == nullptr ? nullptr : &remember_log_pages, pages);
}

core::Result<void> SqliteConnection::checkpoint(Checkpoint how) {
  const int mode = how == Checkpoint::all ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
  if (sqlite3_wal_checkpoint_v2(database_.get(), nullptr, mode, nullptr, nullptr) != SQLITE_OK) {
    return core::fail(error_of(database_.get()));
  }
  return {};
}

core::Result<void> SqliteConnection::rewrite_first_page() {
  PARLEY_TRY(const std::int64_t version, first_integer("PRAGMA user_version"));
  // A row that is set to its own value would not be written.
  return execute(("PRAGMA user_version = " + std::to_string(version)).c_str());
}

}  // namespace parley::sql
