// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/functional/function_ref.h"
#include "core/result.h"
#include "sql/database.h"

namespace parley::sql {

// The kind and version that one of Parley's files states in its header.
struct FileKind {
  std::int64_t application_id = 0;  // 0: files of this kind say none
  std::int64_t version = 1;         // the newest that this program knows; 0: they say none
};

// The tables of a store, declared as data. A step that has been released is never changed.
struct Schema {
  std::int64_t application_id = 0;
  std::span<const char* const> steps = {};  // SQL; steps[i] leads from version i to i + 1
  // SQL that leads an empty file to the newest version at once: steps[0] is not run. Null: the
  // steps do so, one by one.
  const char* newest = nullptr;
  // False: files of this kind state no version; their one step runs at each opening.
  bool versioned = true;

  constexpr FileKind kind() const {
    return {application_id, versioned ? static_cast<std::int64_t>(steps.size()) : 0};
  }
};

// The version of a file; 0 if it is empty. Errors, which name the file: `failed_precondition` (a
// newer Parley wrote it, or another program), `data_loss` (no database), and those of Database.
core::Result<std::int64_t> file_version(Database& database, const FileKind& kind);

// Rows that a new file has from the beginning.
using Fill = absl::FunctionRef<core::Result<void>(Database&)>;
inline core::Result<void> fill_nothing(Database&) { return {}; }

// Brings a file to the newest version of its schema, each step in one transaction. `fill` runs in
// the transaction that makes the tables of an empty file. Other processes may do the same
// meanwhile. A step that fails leaves the version before it. Errors: those of file_version(), of
// `fill` and of Database.
core::Result<void> migrate(Database& database, const Schema& schema, Fill fill = fill_nothing);

}  // namespace parley::sql
