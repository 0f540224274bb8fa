// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "auth/token_file.h"

#include <utility>

#include "sql/data_dir.h"
#include "sql/database.h"
#include "sql/opening.h"

namespace parley::auth {
namespace {

using sql::Database;
using sql::Statement;
using sql::StatementScope;

// The tables of version 2.
constexpr const char* kNewest = R"sql(
  CREATE TABLE tokens (
    number INTEGER PRIMARY KEY,
    token_id TEXT NOT NULL,
    name TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    rights TEXT NOT NULL
  );
  CREATE UNIQUE INDEX tokens_name ON tokens (name) WHERE revoked_at IS NULL;
)sql";

// Version 1 knew no rights: the token named `default` could do everything, every other token all
// but manage tokens. Each token keeps those rights.
const std::string& add_rights() {
  static const std::string sql = "ALTER TABLE tokens ADD COLUMN rights TEXT NOT NULL DEFAULT '" +
                                 Rights::all().without(Right::admin).text() +
                                 "'; UPDATE tokens SET rights = '" + Rights::all().text() +
                                 "' WHERE name = 'default'";
  return sql;
}

sql::Schema schema() {
  constexpr std::int64_t kApplicationId = 0x50726c74;  // "Prlt"
  static const char* const steps[] = {nullptr, add_rights().c_str()};
  return {.application_id = kApplicationId, .steps = steps, .newest = kNewest};
}

std::optional<core::WallTime> time_in(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return core::from_unix_ms(row.integer(column));
}

void bind_time(Statement& statement, int index, const std::optional<core::WallTime>& at) {
  if (at) {
    statement.bind(index, core::to_unix_ms(*at));
  } else {
    statement.bind_null(index);
  }
}

class SqliteTokenFile final : public TokenFile {
 public:
  explicit SqliteTokenFile(Database database) : database_(std::move(database)) {}

  core::Result<void> prepare() {
    const std::pair<Statement*, const char*> statements[] = {
        {&insert_,
         "INSERT INTO tokens (token_id, name, hash, created_at, expires_at, revoked_at, rights)"
         " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"},
        {&rows_,
         "SELECT token_id, name, hash, created_at, expires_at, revoked_at, rights FROM"
         " tokens ORDER BY number"},
        {&revoke_id_,
         "UPDATE tokens SET revoked_at = ?2 WHERE token_id = ?1 AND revoked_at IS NULL"},
        {&revoke_name_, "UPDATE tokens SET revoked_at = ?2 WHERE name = ?1 AND revoked_at IS NULL"},
    };
    for (const auto& [statement, sql] : statements) {
      core::Result<Statement> prepared = database_.prepare(sql);
      if (!prepared) return core::fail(std::move(prepared.error()));
      *statement = std::move(*prepared);
    }
    return {};
  }

  core::Result<void> insert(const TokenRow& row) override {
    const Identity& identity = row.info.identity;
    insert_.bind(1, identity.token_id).bind(2, identity.name).bind_blob(3, row.hash);
    insert_.bind(4, core::to_unix_ms(row.info.created_at));
    bind_time(insert_, 5, identity.expires_at);
    bind_time(insert_, 6, row.info.revoked_at);
    const std::string rights = identity.rights.text();
    insert_.bind(7, rights);
    core::Result<void> done = insert_.run();
    if (!done && done.error().code == core::Code::failed_precondition) {
      return core::fail(core::Code::already_exists,
                        "A token of this name exists. Revoke it first, or choose another name.",
                        "name");
    }
    return done;
  }

  core::Result<std::vector<TokenRow>> rows() override {
    const StatementScope scope(rows_);
    std::vector<TokenRow> rows;
    while (true) {
      const core::Result<bool> row = rows_.step();
      if (!row) return core::fail(row.error());
      if (!*row) return rows;
      TokenRow& token = rows.emplace_back();
      token.info.identity.token_id = std::string(rows_.text(0));
      token.info.identity.name = std::string(rows_.text(1));
      token.hash = std::string(rows_.text(2));
      token.info.created_at = core::from_unix_ms(rows_.integer(3));
      token.info.identity.expires_at = time_in(rows_, 4);
      token.info.revoked_at = time_in(rows_, 5);
      const core::Result<Rights> rights = Rights::parse(rows_.text(6));
      if (!rights) {
        return core::fail(core::Code::data_loss,
                          "tokens.db: the rights of the token \"" + token.info.identity.name +
                              "\" cannot be read: " + rights.error().message);
      }
      token.info.identity.rights = *rights;
    }
  }

  core::Result<bool> revoke(std::string_view name_or_id, core::WallTime at) override {
    for (Statement* statement : {&revoke_id_, &revoke_name_}) {
      core::Result<void> done = statement->bind(1, name_or_id).bind(2, core::to_unix_ms(at)).run();
      if (!done) return core::fail(std::move(done.error()));
      if (database_.changes() > 0) return true;
    }
    return false;
  }

  core::Result<std::int64_t> data_version() override { return database_.data_version(); }

 private:
  Database database_;
  Statement insert_;
  Statement rows_;
  Statement revoke_id_;
  Statement revoke_name_;
};

}  // namespace

sql::FileKind TokenFile::file_kind() { return schema().kind(); }

core::Result<std::unique_ptr<TokenFile>> TokenFile::open(const std::string& data_dir) {
  core::Result<void> made = sql::make_data_dir(data_dir);
  if (!made) return core::fail(std::move(made.error()));
  core::Result<Database> database =
      sql::open_file(data_dir + "/tokens.db", schema(), {.journal = sql::Journal::rollback});
  if (!database) return core::fail(std::move(database.error()));
  auto file = std::make_unique<SqliteTokenFile>(std::move(*database));
  core::Result<void> prepared = file->prepare();
  if (!prepared) return core::fail(std::move(prepared.error()));
  return file;
}

}  // namespace parley::auth
