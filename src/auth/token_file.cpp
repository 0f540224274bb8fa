// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "auth/token_file.h"

#include <utility>

#include "core/private_files.h"
#include "sql/data_dir.h"
#include "sql/database.h"

namespace parley::auth {
namespace {

using sql::Database;
using sql::Statement;
using sql::StatementScope;

constexpr std::int64_t kFileVersion = 2;
// "Prlt".
constexpr std::int64_t kApplicationId = 0x50726c74;

// Another process may make the tables at the same time: hence the transaction.
constexpr const char* kCreate = R"sql(
  BEGIN IMMEDIATE;
  CREATE TABLE IF NOT EXISTS tokens (
    number INTEGER PRIMARY KEY,
    token_id TEXT NOT NULL,
    name TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    rights TEXT NOT NULL
  );
  CREATE UNIQUE INDEX IF NOT EXISTS tokens_name ON tokens (name) WHERE revoked_at IS NULL;
  PRAGMA application_id = 1349676148;
  PRAGMA user_version = 2;
  COMMIT;
)sql";

// Version 1 knew no rights: the token named `default` could do everything, every other one all but
// handle tokens. Each keeps what it could do. Another process may have done this meanwhile.
core::Result<void> add_rights(Database& database) {
  core::Result<void> done = database.execute("BEGIN IMMEDIATE");
  if (!done) return done;
  const core::Result<std::int64_t> version = database.query_integer("PRAGMA user_version");
  if (!version) {
    done = core::fail(version.error());
  } else if (*version == 1) {
    const std::string all = Rights::all().text();
    const std::string others = Rights::all().without(Right::admin).text();
    done = database.execute(("ALTER TABLE tokens ADD COLUMN rights TEXT NOT NULL DEFAULT '" +
                             others + "'; UPDATE tokens SET rights = '" + all +
                             "' WHERE name = 'default'; PRAGMA user_version = 2;")
                                .c_str());
  }
  if (done) done = database.execute("COMMIT");
  if (!done && database.in_transaction()) (void)database.execute("ROLLBACK");
  return done;
}

core::Result<void> prepare_file(Database& database) {
  core::Result<void> done = database.execute("PRAGMA synchronous = FULL");
  if (!done) return done;
  const core::Result<std::int64_t> version = database.query_integer("PRAGMA user_version");
  if (!version) return core::fail(version.error());
  const core::Result<std::int64_t> program = database.query_integer("PRAGMA application_id");
  if (!program) return core::fail(program.error());
  if (*version == 0 && *program == 0) return database.execute(kCreate);
  if (*program != kApplicationId) {
    return core::fail(core::Code::failed_precondition,
                      "The file tokens.db is not one of Parley's. Name another data directory.");
  }
  if (*version > kFileVersion) {
    return core::fail(core::Code::failed_precondition,
                      "A newer Parley wrote tokens.db. Start that version.");
  }
  if (*version < kFileVersion) return add_rights(database);
  return {};
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

  core::Result<std::int64_t> data_version() override {
    return database_.query_integer("PRAGMA data_version");
  }

 private:
  Database database_;
  Statement insert_;
  Statement rows_;
  Statement revoke_id_;
  Statement revoke_name_;
};

}  // namespace

sql::FileKind TokenFile::file_kind() { return {kApplicationId, kFileVersion}; }

core::Result<std::unique_ptr<TokenFile>> TokenFile::open(const std::string& data_dir) {
  core::Result<void> made = sql::make_data_dir(data_dir);
  if (!made) return core::fail(std::move(made.error()));
  const std::string path = data_dir + "/tokens.db";
  made = core::make_private_file(path);
  if (!made) return core::fail(std::move(made.error()));
  core::Result<Database> database = Database::open(path, sql::OpenMode::create);
  if (!database) return core::fail(std::move(database.error()));
  database->set_busy_timeout();
  core::Result<void> prepared = prepare_file(*database);
  if (!prepared) return core::fail(std::move(prepared.error()));
  auto file = std::make_unique<SqliteTokenFile>(std::move(*database));
  prepared = file->prepare();
  if (!prepared) return core::fail(std::move(prepared.error()));
  return file;
}

}  // namespace parley::auth
