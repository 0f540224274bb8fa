// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/migration.h"

#include <string>
#include <utility>

#include "base/core/result.h"
#include "base/sql/transaction.h"

namespace parley::sql {
namespace {

// Runs one step, if one is left: another process may have migrated the file meanwhile.
core::Result<void> migrate_one(Database& database, const Schema& schema, Fill fill) {
  PARLEY_TRY(Transaction transaction, Transaction::begin(database));
  PARLEY_TRY(const std::int64_t from, file_version(database, schema.kind()));
  if (from == schema.kind().version) return {};
  const bool at_once = from == 0 && schema.newest != nullptr;
  std::string step = at_once ? schema.newest : schema.steps[static_cast<std::size_t>(from)];
  if (from == 0 && schema.application_id != 0) {
    step += ";PRAGMA application_id = " + std::to_string(schema.application_id);
  }
  const std::int64_t to = at_once ? schema.kind().version : from + 1;
  step += ";PRAGMA user_version = " + std::to_string(to);
  core::Result<void> done = database.execute(step.c_str());
  if (done && from == 0) done = fill(database);
  return done ? transaction.commit() : done;
}

}  // namespace

core::Result<std::int64_t> file_version(Database& database, const FileKind& kind) {
  // One statement, so that another process cannot change the file between two reads.
  PARLEY_TRY(
      Statement query,
      database.prepare("SELECT user_version, (SELECT application_id FROM pragma_application_id),"
                       " (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version"));
  PARLEY_TRY_VOID(query.step());
  const std::int64_t version = query.integer(0);
  const std::int64_t program = query.integer(1);
  if (version == 0 && program == 0 && query.integer(2) == 0) return 0;
  const bool unversioned = version <= 0 && kind.version > 0;
  if (program != kind.application_id || unversioned) {
    return core::fail(
        core::Code::failed_precondition,
        "The file " + database.file_name() +
            " belongs to another program. Name another data directory, or move the file away.");
  }
  if (version > kind.version) {
    return core::fail(core::Code::failed_precondition,
                      "A newer Parley wrote the file " + database.file_name() + " (schema " +
                          std::to_string(version) + ", this program knows " +
                          std::to_string(kind.version) +
                          "). Start that version, or name another data directory.");
  }
  return version;
}

core::Result<void> migrate(Database& database, const Schema& schema, Fill fill) {
  const FileKind kind = schema.kind();
  core::Result<std::int64_t> version = file_version(database, kind);
  if (version && !schema.versioned) return database.execute(schema.steps.front());
  while (version && *version < kind.version) {
    core::Result<void> done = migrate_one(database, schema, fill);
    if (!done) return done;
    version = file_version(database, kind);
  }
  if (!version) return core::fail(std::move(version.error()));
  return {};
}

}  // namespace parley::sql
