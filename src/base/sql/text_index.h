// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/sql/database.h"

namespace parley::sql {

// A full-text index of the rows of one table, by their column `id`. Its statements differ between
// engines (FTS5 of SQLite, tsvector of PostgreSQL), so they stand in this room alone. English words
// match by their stem, letters match themselves with an accent (with PostgreSQL, if it has the
// extension `unaccent`); scripts without spaces between words match by pairs of characters. Belongs
// to one thread.
class TextIndex {
 public:
  static constexpr std::size_t kMaxQueryWords = 64;  // further words of a query are ignored

  // `name`: of the index in the file.
  explicit TextIndex(std::string_view name) : name_(name) {}

  // Makes the index if it is missing. Errors of all calls: those of Database.
  core::Result<void> make(Database& database) const;
  core::Result<void> put(Database& database, std::int64_t id, std::string_view text) const;
  core::Result<void> remove(Database& database, std::int64_t id) const;

  // A query of `columns` of `table` where `condition` holds and the text matches ?1, an
  // expression(); without an order.
  std::string matching(const Database& database, std::string_view columns, std::string_view table,
                       std::string_view condition) const;
  // The same, best matches first; the caller may append further terms of the order, and a limit.
  std::string query(const Database& database, std::string_view columns, std::string_view table,
                    std::string_view condition) const;

  enum class Match : std::uint8_t {
    any,  // one word suffices; of a word without spaces, two adjacent characters
    all,  // every word; the last one may go on
  };
  // Matches texts with the words of a query; empty if it has none.
  static std::string expression(Engine engine, std::string_view text, Match match = Match::any);
  // The words of a query, in lower case if they are ASCII, at most kMaxQueryWords.
  static std::vector<std::string> words(std::string_view text);

 private:
  std::string name_;
};

}  // namespace parley::sql
