// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/statement.h"

#include <sqlite3.h>

#include "base/core/loop_thread.h"
#include "base/sql/database.h"

namespace parley::sql {

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement& Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), index, value);
  return *this;
}

Statement& Statement::bind(int index, std::string_view value) {
  // A null pointer would bind NULL, and the data pointer of an empty view may be null.
  const char* data = value.data() == nullptr ? "" : value.data();
  sqlite3_bind_text64(statement_.get(), index, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind(int index, Blob value) {
  const char* data = value.bytes.data() == nullptr ? "" : value.bytes.data();
  sqlite3_bind_blob64(statement_.get(), index, data, value.bytes.size(), SQLITE_STATIC);
  return *this;
}

Statement& Statement::bind_null(int index) {
  sqlite3_bind_null(statement_.get(), index);
  return *this;
}

core::Result<bool> Statement::step() {
  core::assert_may_block("SQLite");
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return core::fail(error_of(sqlite3_db_handle(statement_.get())));
}

core::Result<void> Statement::run() {
  const core::Result<bool> row = step();
  reset();
  if (!row) return core::fail(row.error());
  return {};
}

core::Result<std::int64_t> Statement::first_integer() {
  return first([](const Statement& row) { return row.integer(0); }).map([](auto value) {
    return value.value_or(0);
  });
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::text(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  if (data == nullptr) return {};
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

}  // namespace parley::sql
