// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/functional/function_ref.h"
#include "base/core/result.h"
#include "base/sql/database.h"

namespace parley::sql {

// The kind and version in the header of one of Parley's files, or in the table parley_version of a
// schema.
struct FileKind {
  std::int64_t application_id = 0;  // 0: files of this kind have none
  std::int64_t version = 1;  // the newest version that this program knows; 0: files have none
};

// The tables of a store, declared as data. A released step is never changed.
struct Schema {
  std::int64_t application_id = 0;
  std::span<const char* const> steps = {};  // SQL; steps[i] leads from version i to i + 1
  // SQL that makes the newest version from an empty file, in place of `steps`. Null: the steps run
  // one by one.
  const char* newest = nullptr;
  // SQL that makes the newest version in an empty schema of PostgreSQL, if it differs. Null: as in
  // a file.
  const char* newest_in_postgres = nullptr;
  // False: files of this kind have no version; their single step runs at each opening.
  bool versioned = true;
  // Database::data_version() is asked for: PostgreSQL counts the changes of these tables.
  bool watched = false;

  constexpr const char* newest_on(Engine engine) const {
    const bool own = engine == Engine::postgres && newest_in_postgres != nullptr;
    return own ? newest_in_postgres : newest;
  }
  constexpr FileKind kind() const {
    return {application_id, versioned ? static_cast<std::int64_t>(steps.size()) : 0};
  }
};

// The version of a file or schema; 0 if it is empty. Errors, which name it: `failed_precondition`
// (a newer Parley or another program wrote it), `data_loss` (not a database), and those of
// Database.
core::Result<std::int64_t> file_version(Database& database, const FileKind& kind);

// Inserts the first rows of a new file.
using Fill = absl::FunctionRef<core::Result<void>(Database&)>;
inline core::Result<void> fill_nothing(Database&) { return {}; }

// Migrates a file to the newest version of its schema, each step in one transaction; the tables of
// PostgreSQL are made if there are none. `fill` runs in the transaction that makes the tables of an
// empty file. Other processes may migrate the same file at the same time. A failed step leaves the
// version before it. Errors: those of file_version(), of `fill` and of Database.
core::Result<void> migrate(Database& database, const Schema& schema, Fill fill = fill_nothing);

}  // namespace parley::sql
