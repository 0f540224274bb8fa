// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/result.h"

struct sqlite3_stmt;

namespace parley::sql {

// A prepared statement. Belongs to the thread of its Database and must not outlive it.
class Statement {
 public:
  Statement() = default;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  // Parameters count from 1. Texts are not copied: they must live until reset(), or until run()
  // returns.
  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, std::uint64_t value) {
    return bind(index, static_cast<std::int64_t>(value));
  }
  Statement& bind(int index, int value) { return bind(index, static_cast<std::int64_t>(value)); }
  Statement& bind(int index, std::string_view value);
  Statement& bind_blob(int index, std::string_view bytes);
  Statement& bind_null(int index);

  // Steps to the next row: true if there is one, false at the end.
  core::Result<bool> step();
  // Runs a statement that yields no rows, and resets it.
  core::Result<void> run();
  // Prepares the statement to run again; parameters keep their values.
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

}  // namespace parley::sql
