// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/database.h"

#include <sqlite3.h>

#include <cstring>
#include <string_view>

#include "base/core/loop_thread.h"
#include "base/core/result.h"

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

}  // namespace

core::Error error_of(sqlite3* database) {
  const int extended = sqlite3_extended_errcode(database);
  // The low byte of an extended code is the primary one.
  const int primary = static_cast<int>(static_cast<unsigned>(extended) & 0xffU);
  return {code_of(primary), sentence(file_name_of(database), extended, sqlite3_errmsg(database)),
          std::string(primary == SQLITE_NOMEM ? kNoMemory : std::string_view())};
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

core::Result<Database> Database::open(const std::string& path, OpenMode mode,
                                      const std::string& vfs) {
  core::assert_may_block("SQLite");
  // Turns off SQLite's memory statistics, which are not used and would cost a lock at each
  // allocation. If SQLite was used before, it ignores the call, which does no harm.
  static const int configured = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  static_cast<void>(configured);
  sqlite3* raw = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &raw, open_flags(mode), vfs.empty() ? nullptr : vfs.c_str());
  Database database;
  database.database_.reset(raw);
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
  database.set_busy_timeout(kBusyTimeoutMs);
  return database;
}

core::Result<void> Database::execute(const char* sql) {
  core::assert_may_block("SQLite");
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return core::fail(error_of(database_.get()));
  }
  return {};
}

core::Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  Statement statement(raw);
  if (code != SQLITE_OK) return core::fail(error_of(database_.get()));
  return statement;
}

core::Result<void> Database::prepare_all(
    std::initializer_list<std::pair<Statement*, std::string>> statements) {
  for (const auto& [statement, sql] : statements) {
    PARLEY_TRY(Statement prepared, prepare(sql));
    *statement = std::move(prepared);
  }
  return {};
}

core::Result<std::vector<std::string>> Database::integrity_faults(std::size_t limit) {
  core::Result<std::vector<std::string>> faults =
      rows("PRAGMA integrity_check(" + std::to_string(limit) + ")",
           [](const Statement& row) { return row.string(0); });
  if (faults) std::erase(*faults, "ok");
  return faults;
}

std::string Database::file_name() const { return file_name_of(database_.get()); }

std::int64_t Database::changes() const { return sqlite3_changes64(database_.get()); }

core::Result<void> Database::rewrite_first_page() {
  PARLEY_TRY(const std::int64_t version, integer("PRAGMA user_version"));
  // A row that is set to its own value would not be written.
  return execute(("PRAGMA user_version = " + std::to_string(version)).c_str());
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(database_.get()) == 0; }

void Database::watch_log(int* pages) {
  sqlite3_wal_hook(database_.get(), pages == nullptr ? nullptr : &remember_log_pages, pages);
}

core::Result<void> Database::checkpoint(Checkpoint how) {
  const int mode = how == Checkpoint::all ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
  if (sqlite3_wal_checkpoint_v2(database_.get(), nullptr, mode, nullptr, nullptr) != SQLITE_OK) {
    return core::fail(error_of(database_.get()));
  }
  return {};
}

void Database::set_busy_timeout(int ms) { sqlite3_busy_timeout(database_.get(), ms); }

}  // namespace parley::sql
