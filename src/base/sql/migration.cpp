// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/migration.h"

#include <optional>
#include <string>
#include <utility>

#include "base/core/result.h"
#include "base/sql/transaction.h"

namespace parley::sql {
namespace {

std::string noun_of(const Database& database) {
  return (database.engine() == Engine::sqlite ? "file " : "schema ") + database.file_name();
}

struct Header {
  std::int64_t version = 0;
  std::int64_t application_id = 0;
  bool is_empty = false;
};

// A schema without its version was never made. The error of a table that is missing says less: an
// operator may have renamed it.
core::Result<void> check_made(Database& database) {
  if (database.engine() == Engine::sqlite) return {};
  PARLEY_TRY(const std::int64_t found, database.integer("SELECT count(to_regclass(?1))",
                                                        database.file_name() + ".parley_version"));
  if (found > 0) return {};
  return core::fail(core::Code::not_found,
                    "The schema " + database.file_name() + " has no table parley_version.");
}

core::Result<Header> header_of(Database& database) {
  PARLEY_TRY_VOID(check_made(database));
  // One statement, so that another process cannot change the file between two reads.
  const std::string sql =
      database.engine() == Engine::sqlite
          ? "SELECT user_version, (SELECT application_id FROM pragma_application_id),"
            " (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version"
          : "SELECT version, application_id, 1 FROM " + database.file_name() + ".parley_version";
  const auto read = [](const Statement& row) {
    return Header{row.integer(0), row.integer(1), row.integer(2) == 0};
  };
  PARLEY_TRY(const std::optional<Header> header, database.first(sql, read));
  return header.value_or(Header{0, 0, true});
}

core::Result<void> set_header(Database& database, const Header& header) {
  if (database.engine() == Engine::postgres) {
    const std::string table = database.file_name() + ".parley_version";
    return database.run("INSERT INTO " + table +
                            " (one, version, application_id, changes) VALUES (TRUE, ?1, ?2, 0)"
                            " ON CONFLICT (one) DO UPDATE SET version = excluded.version",
                        header.version, header.application_id);
  }
  std::string sql = "PRAGMA user_version = " + std::to_string(header.version);
  if (header.application_id != 0) {
    sql += ";PRAGMA application_id = " + std::to_string(header.application_id);
  }
  return database.execute(sql.c_str());
}

// Runs one step, if one is left: another process may have migrated the file meanwhile.
core::Result<void> migrate_one(Database& database, const Schema& schema, Fill fill) {
  PARLEY_TRY(Transaction transaction, Transaction::begin(database));
  PARLEY_TRY(const std::int64_t from, file_version(database, schema.kind()));
  if (from == schema.kind().version) return {};
  const char* const newest = schema.newest_on(database.engine());
  const bool at_once = from == 0 && newest != nullptr;
  PARLEY_TRY_VOID(database.create(at_once ? newest : schema.steps[static_cast<std::size_t>(from)]));
  const std::int64_t to = at_once ? schema.kind().version : from + 1;
  PARLEY_TRY_VOID(set_header(database, {to, schema.application_id}));
  if (from == 0) PARLEY_TRY_VOID(fill(database));
  return transaction.commit();
}

// The schema and what each has besides the tables of its store. As in SQLite, one process at a time
// makes them.
core::Result<void> make_schema(Database& database) {
  const std::string& schema = database.file_name();
  PARLEY_TRY(Transaction transaction, Transaction::begin(database));
  const std::string sql =
      "CREATE SCHEMA IF NOT EXISTS " + schema + "; CREATE TABLE IF NOT EXISTS " + schema +
      ".parley_version (one BOOLEAN PRIMARY KEY CHECK (one), version BIGINT NOT NULL,"
      " application_id BIGINT NOT NULL, changes BIGINT NOT NULL);"
      " CREATE COLLATION IF NOT EXISTS " +
      schema + ".parley_nocase (PROVIDER = icu, LOCALE = 'und-u-ks-level2', DETERMINISTIC = FALSE)";
  PARLEY_TRY_VOID(database.execute(sql.c_str()));
  return transaction.commit();
}

// Counts the changes of each table, in the transaction that makes them.
core::Result<void> watch(Database& database) {
  const std::string& schema = database.file_name();
  PARLEY_TRY(Transaction transaction, Transaction::begin(database));
  std::string sql = "CREATE OR REPLACE FUNCTION " + schema +
                    ".parley_changed() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN UPDATE " +
                    schema + ".parley_version SET changes = changes + 1; RETURN NULL; END$$;";
  const auto names = database.rows(
      "SELECT tablename FROM pg_tables WHERE schemaname = ?1 AND tablename <> 'parley_version'",
      [](const Statement& row) { return row.string(0); }, schema);
  if (!names) return core::fail(names.error());
  for (const std::string& name : *names) {
    sql.append("CREATE OR REPLACE TRIGGER parley_changed AFTER INSERT OR UPDATE OR DELETE ON ")
        .append(schema)
        .append(".")
        .append(name)
        .append(" FOR EACH STATEMENT EXECUTE FUNCTION ")
        .append(schema)
        .append(".parley_changed();");
  }
  PARLEY_TRY_VOID(database.execute(sql.c_str()));
  return transaction.commit();
}

core::Result<void> migrate_steps(Database& database, const Schema& schema, Fill fill) {
  const FileKind kind = schema.kind();
  PARLEY_TRY(std::int64_t version, file_version(database, kind));
  if (!schema.versioned) return database.create(schema.steps.front());
  while (version < kind.version) {
    PARLEY_TRY_VOID(migrate_one(database, schema, fill));
    PARLEY_TRY(version, file_version(database, kind));
  }
  return {};
}

}  // namespace

core::Result<std::int64_t> file_version(Database& database, const FileKind& kind) {
  PARLEY_TRY(const Header header, header_of(database));
  if (header.version == 0 && header.application_id == 0 && header.is_empty) return 0;
  const bool unversioned = header.version <= 0 && kind.version > 0;
  if (header.application_id != kind.application_id || unversioned) {
    return core::fail(
        core::Code::failed_precondition,
        "The " + noun_of(database) +
            " belongs to another program. Name another data directory, or move the file away.");
  }
  if (header.version > kind.version) {
    return core::fail(core::Code::failed_precondition,
                      "A newer Parley wrote the " + noun_of(database) + " (schema " +
                          std::to_string(header.version) + ", this program knows " +
                          std::to_string(kind.version) +
                          "). Start that version, or name another data directory.");
  }
  return header.version;
}

core::Result<void> migrate(Database& database, const Schema& schema, Fill fill) {
  if (database.engine() == Engine::sqlite) return migrate_steps(database, schema, fill);
  PARLEY_TRY_VOID(make_schema(database));
  PARLEY_TRY_VOID(migrate_steps(database, schema, fill));
  return schema.watched ? watch(database) : core::Result<void>();
}

}  // namespace parley::sql
