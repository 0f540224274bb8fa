// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "base/core/result.h"
#include "base/sql/database.h"

namespace parley::sql {

// The statement of SQLite that begins a write transaction and takes its lock at once, not at the
// first write.
inline constexpr const char* kBeginWriting = "BEGIN IMMEDIATE";

// A write transaction. Rolled back on destruction unless committed. The database outlives it.
class Transaction {
 public:
  // Errors: those of Database.
  static core::Result<Transaction> begin(Database& database) {
    PARLEY_TRY_VOID(database.begin_writing());
    return Transaction(database);
  }
  // With Database::begin_sharing().
  static core::Result<Transaction> begin_sharing(Database& database) {
    PARLEY_TRY_VOID(database.begin_sharing());
    return Transaction(database);
  }
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (database_ != nullptr && database_->in_transaction()) (void)database_->execute("ROLLBACK");
  }

  core::Result<void> commit() { return database_->execute("COMMIT"); }

 private:
  explicit Transaction(Database& database) : database_(&database) {}

  Database* database_;
};

}  // namespace parley::sql
