// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/result.h"
#include "sql/database.h"

namespace parley::sql {

// The kind and version that one of Parley's SQLite files states in its header.
struct FileKind {
  std::int64_t application_id = 0;  // 0: files of this kind say none
  std::int64_t version = 1;  // the newest that this program knows (PRAGMA user_version); 0: they
                             // say none
};

// The version of a file; 0 if it is empty. Errors, which name the file: `failed_precondition` (a
// newer Parley wrote it, or another program), `data_loss` (no database), and those of Database.
core::Result<std::int64_t> file_version(Database& database, const FileKind& kind);

// Opens a small SQLite file for its only writer: makes it, with mode 0600, if it is missing, and
// brings an older one up to date. `steps` is SQL: steps[i] leads from version i to i + 1 in one
// transaction, up to kind.version. WAL, synchronous=FULL. Files that state an application id are
// not opened here. Errors: those of make_private_file(), file_version() and Database.
core::Result<Database> open_file(const std::string& path, const FileKind& kind,
                                 std::span<const char* const> steps);

}  // namespace parley::sql
