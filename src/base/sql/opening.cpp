// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/opening.h"

#include <utility>

#include "base/core/private_files.h"
#include "base/core/result.h"

namespace parley::sql {

core::Result<Database> connect(const std::string& path, OpenMode mode, const FileOptions& options) {
  core::Result<Database> database = Database::open(path, mode, options.vfs);
  if (!database) return database;
  std::string sql = options.durability == Durability::full ? "PRAGMA synchronous = FULL;"
                                                           : "PRAGMA synchronous = NORMAL;";
  if (!options.checkpoints) sql += "PRAGMA wal_autocheckpoint = 0;";
  if (options.sorts_in_memory) sql += "PRAGMA temp_store = MEMORY;";
  if (options.page_cache_kib > 0) {
    sql += "PRAGMA cache_size = -" + std::to_string(options.page_cache_kib) + ";";
  }
  if (options.queries_only) sql += "PRAGMA query_only = 1;";
  PARLEY_TRY_VOID(database->execute(sql.c_str()));
  return database;
}

core::Result<Database> open_file(const std::string& path, const Schema& schema,
                                 const FileOptions& options, Fill fill) {
  core::Result<void> done = core::make_private_file(path);
  if (!done) return core::fail(std::move(done.error()));
  core::Result<Database> database = connect(path, OpenMode::create, options);
  if (!database) return database;
  PARLEY_TRY_VOID(file_version(*database, schema.kind()));
  if (options.journal == Journal::ahead) done = database->execute("PRAGMA journal_mode = WAL");
  if (done) done = migrate(*database, schema, fill);
  if (!done) return core::fail(std::move(done.error()));
  return database;
}

core::Result<Database> open_store(const StorePlace& place, std::string_view name,
                                  const Schema& schema, const FileOptions& options, Fill fill) {
  if (place.url.empty()) {
    return open_file(place.data_dir + "/" + std::string(name) + ".db", schema, options, fill);
  }
  PARLEY_TRY(Database database, connect_store(place, name, schema));
  PARLEY_TRY_VOID(migrate(database, schema, fill));
  return database;
}

core::Result<Database> open_store_to_read(const StorePlace& place, std::string_view name,
                                          const Schema& schema, const std::string& vfs) {
  PARLEY_TRY(Database database,
             place.url.empty() ? Database::open(place.data_dir + "/" + std::string(name) + ".db",
                                                OpenMode::read_only, vfs)
                               : connect_store(place, name, schema));
  PARLEY_TRY(const std::int64_t version, file_version(database, schema.kind()));
  if (version == schema.kind().version) return database;
  if (version == 0) return core::fail(core::Code::not_found, "The store is empty.");
  return core::fail(core::Code::failed_precondition,
                    "An older version of Parley wrote the store. Start the server of this version"
                    " on it once, then try again.");
}

core::Result<Database> connect_store(const StorePlace& place, std::string_view name,
                                     const Schema& schema) {
  PARLEY_TRY(Database database,
             Database::connect({place.url, "parley_" + std::string(name), place.pooled}));
  for (const char* const step : schema.steps) {
    if (step != nullptr) database.know_tables(step);
  }
  if (const char* const newest = schema.newest_on(Engine::postgres)) database.know_tables(newest);
  return database;
}

}  // namespace parley::sql
