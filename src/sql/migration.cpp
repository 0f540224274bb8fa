// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "sql/migration.h"

#include <utility>

#include "core/assert.h"
#include "core/private_files.h"

namespace parley::sql {

core::Result<std::int64_t> file_version(Database& database, const FileKind& kind) {
  const core::Result<std::int64_t> version = database.query_integer("PRAGMA user_version");
  if (!version) return core::fail(version.error());
  const core::Result<std::int64_t> program = database.query_integer("PRAGMA application_id");
  if (!program) return core::fail(program.error());
  const core::Result<std::int64_t> tables =
      database.query_integer("SELECT count(*) FROM sqlite_schema");
  if (!tables) return core::fail(tables.error());
  if (*version == 0 && *program == 0 && *tables == 0) return 0;
  const bool unversioned = *version <= 0 && kind.version > 0;
  if (*program != kind.application_id || unversioned) {
    return core::fail(core::Code::failed_precondition,
                      "The file " + database.file_name() +
                          " is another program's. Name another data directory, or move the file "
                          "away.");
  }
  if (*version > kind.version) {
    return core::fail(core::Code::failed_precondition,
                      "A newer Parley wrote the file " + database.file_name() + " (schema " +
                          std::to_string(*version) + ", this program knows " +
                          std::to_string(kind.version) +
                          "). Start that version, or name another data directory.");
  }
  return *version;
}

core::Result<Database> open_file(const std::string& path, const FileKind& kind,
                                 std::span<const char* const> steps) {
  PARLEY_ASSERT(kind.application_id == 0 && static_cast<std::size_t>(kind.version) == steps.size(),
                "steps that do not lead to the version of the file");
  if (core::Result<void> made = make_private_file(path); !made) {
    return core::fail(std::move(made.error()));
  }
  core::Result<Database> database = Database::open(path, OpenMode::create);
  if (!database) return database;
  database->set_busy_timeout();
  const core::Result<std::int64_t> version = file_version(*database, kind);
  if (!version) return core::fail(version.error());
  core::Result<void> done =
      database->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  for (std::int64_t at = *version; done && at < kind.version; ++at) {
    const std::string sql = "BEGIN;" + std::string(steps[static_cast<std::size_t>(at)]) +
                            ";PRAGMA user_version = " + std::to_string(at + 1) + ";COMMIT;";
    done = database->execute(sql.c_str());
  }
  if (!done) return core::fail(std::move(done.error()));
  return database;
}

}  // namespace parley::sql
