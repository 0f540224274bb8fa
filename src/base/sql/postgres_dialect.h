// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace parley::sql {

// Turns the statements and the tables of stores, which are written for SQLite, into those of
// PostgreSQL. Knows what the stores use and no more; src/base/sql/README.md lists it.
class PostgresDialect {
 public:
  // `schema`: of the store in the database, such as "parley_tokens".
  explicit PostgresDialect(std::string schema) : schema_(std::move(schema)) {}

  // Names in statements that are tables of the store, found in the CREATE TABLE of `ddl`. They are
  // written with the schema, so that nothing depends on a connection's search_path, which a pool of
  // connections does not keep.
  void add_tables(std::string_view ddl);

  // ?1 becomes $1, LIKE ignores case as in SQLite, max(a, b) is greatest(a, b), x'00' is a bytea.
  std::string statement(std::string_view sql) const;
  // The same, and the types of columns: INTEGER PRIMARY KEY is an identity, INTEGER a BIGINT, BLOB
  // a BYTEA, REAL a DOUBLE PRECISION, TEXT is compared by its bytes; STRICT and WITHOUT ROWID go.
  std::string tables(std::string_view ddl) const;

 private:
  std::string translated(std::string_view sql, bool ddl) const;

  std::string schema_;
  std::set<std::string, std::less<>> tables_;
};

}  // namespace parley::sql
