// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/sql/database.h"
#include "base/sql/migration.h"
#include "base/sql/store_place.h"

namespace parley::sql {

enum class Journal : std::uint8_t {
  ahead,     // a write-ahead log: readers never wait for writers
  rollback,  // for a small file that several processes write
};

enum class Durability : std::uint8_t {
  full,     // a commit survives a loss of power
  process,  // a commit survives the end of the process; the file is never damaged
};

struct FileOptions {
  std::string vfs = {};  // empty: the default VFS
  Journal journal = Journal::ahead;
  Durability durability = Durability::full;
  bool checkpoints = true;       // false: only a Checkpointer empties the write-ahead log
  bool queries_only = false;     // statements that write fail
  bool sorts_in_memory = false;  // no temporary files
  int page_cache_kib = 0;        // 0: SQLite's choice
};

// Opens another connection to a file that open_file() has opened.
core::Result<Database> connect(const std::string& path, OpenMode mode, const FileOptions& options);

// Opens the file of a store for writing: makes it with mode 0600 if it is missing, and migrates an
// older version. A refused file is not changed. Errors: those of core::make_private_file(),
// migrate() and Database.
core::Result<Database> open_file(const std::string& path, const Schema& schema,
                                 const FileOptions& options = {}, Fill fill = fill_nothing);

// Opens the store `name` at its place for writing: the file NAME.db of the data directory, or the
// schema parley_NAME of the database, which passes over `options`. Errors: those of open_file(),
// and of Database::connect().
core::Result<Database> open_store(const StorePlace& place, std::string_view name,
                                  const Schema& schema, const FileOptions& options = {},
                                  Fill fill = fill_nothing);

// Opens the store `name` for reading; it must exist. The file may be in use. Errors: `not_found`
// (there is none), `failed_precondition` (another version, or another program, made it), those of
// Database.
core::Result<Database> open_store_to_read(const StorePlace& place, std::string_view name,
                                          const Schema& schema, const std::string& vfs = {});

// Another connection to a store of a PostgreSQL database that open_store() has opened.
core::Result<Database> connect_store(const StorePlace& place, std::string_view name,
                                     const Schema& schema);

}  // namespace parley::sql
