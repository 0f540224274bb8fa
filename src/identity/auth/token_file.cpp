// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/auth/token_file.h"

#include <utility>

#include "base/core/result.h"
#include "base/sql/data_dir.h"
#include "base/sql/database.h"
#include "base/sql/opening.h"
#include "base/sql/transaction.h"

namespace parley::auth {
namespace {

using sql::Database;
using sql::Statement;

// The tables of version 3.
constexpr const char* kNewest = R"sql(
  CREATE TABLE tokens (
    number INTEGER PRIMARY KEY,
    token_id TEXT NOT NULL,
    name TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    rights TEXT NOT NULL,
    workspace TEXT NOT NULL,
    seen_at INTEGER
  );
  CREATE UNIQUE INDEX tokens_name ON tokens (name) WHERE revoked_at IS NULL;
)sql";

// Version 1 had no rights: the token named `default` could do everything, every other token
// everything except manage tokens. Each token keeps those rights.
const std::string& add_rights() {
  static const std::string sql = "ALTER TABLE tokens ADD COLUMN rights TEXT NOT NULL DEFAULT '" +
                                 Rights::all().without(Right::admin).text() +
                                 "'; UPDATE tokens SET rights = '" + Rights::all().text() +
                                 "' WHERE name = 'default'";
  return sql;
}

// Until version 2 each token had a workspace of its own.
constexpr const char* kAddWorkspaces =
    "ALTER TABLE tokens ADD COLUMN workspace TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE tokens ADD COLUMN seen_at INTEGER;"
    "UPDATE tokens SET workspace = token_id";

const sql::Schema& own_schema() {
  constexpr std::int64_t kApplicationId = 0x50726c74;  // "Prlt"
  static const char* const steps[] = {nullptr, add_rights().c_str(), kAddWorkspaces};
  static const sql::Schema schema{
      .application_id = kApplicationId, .steps = steps, .newest = kNewest, .watched = true};
  return schema;
}

core::Result<TokenRow> token_in(const Statement& row) {
  TokenRow token;
  token.info.identity.token_id = row.string(0);
  token.info.identity.name = row.string(1);
  token.hash = row.string(2);
  token.info.created_at = row.time(3);
  token.info.identity.expires_at = row.optional_time(4);
  token.info.revoked_at = row.optional_time(5);
  const core::Result<Rights> rights = Rights::parse(row.text(6));
  if (!rights) {
    return core::fail(core::Code::data_loss, "tokens.db: the rights of the token \"" +
                                                 token.info.identity.name +
                                                 "\" cannot be read: " + rights.error().message);
  }
  token.info.identity.rights = *rights;
  token.info.identity.workspace = row.string(7);
  token.info.seen_at = row.optional_time(8);
  return token;
}

bool name_taken(const core::Result<void>& done) {
  return !done && done.error().code == core::Code::failed_precondition;
}

core::Error taken_error() {
  return {core::Code::already_exists,
          "A token with this name exists. Revoke it first, or choose another name.", "name"};
}

class SqlTokenFile final : public TokenFile {
 public:
  explicit SqlTokenFile(Database database) : database_(std::move(database)) {}

  core::Result<void> prepare() {
    return database_.prepare_all({
        {&insert_,
         "INSERT INTO tokens (token_id, name, hash, created_at, expires_at, revoked_at, rights,"
         " workspace) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"},
        {&rows_,
         "SELECT token_id, name, hash, created_at, expires_at, revoked_at, rights, workspace,"
         " seen_at FROM tokens ORDER BY number"},
        {&rename_id_, "UPDATE tokens SET name = ?2 WHERE token_id = ?1 AND revoked_at IS NULL"},
        {&rename_name_, "UPDATE tokens SET name = ?2 WHERE name = ?1 AND revoked_at IS NULL"},
        {&seen_, "UPDATE tokens SET seen_at = ?2 WHERE token_id = ?1"},
        {&revoke_id_,
         "UPDATE tokens SET revoked_at = ?2 WHERE token_id = ?1 AND revoked_at IS NULL"},
        {&revoke_name_, "UPDATE tokens SET revoked_at = ?2 WHERE name = ?1 AND revoked_at IS NULL"},
    });
  }

  core::Result<void> insert(const TokenRow& row) override {
    const Identity& identity = row.info.identity;
    core::Result<void> done =
        insert_
            .bind_all(identity.token_id, identity.name, sql::Blob{row.hash}, row.info.created_at,
                      identity.expires_at, row.info.revoked_at, identity.rights.text(),
                      identity.workspace)
            .run();
    return name_taken(done) ? core::fail(taken_error()) : done;
  }

  core::Result<std::vector<TokenRow>> rows() override { return rows_.rows(token_in); }

  core::Result<bool> revoke(std::string_view name_or_id, core::WallTime at) override {
    for (Statement* statement : {&revoke_id_, &revoke_name_}) {
      PARLEY_TRY_VOID(statement->bind_all(name_or_id, at).run());
      if (database_.changes() > 0) return true;
    }
    return false;
  }

  core::Result<bool> rename(std::string_view name_or_id, std::string_view name) override {
    for (Statement* statement : {&rename_id_, &rename_name_}) {
      const core::Result<void> done = statement->bind_all(name_or_id, name).run();
      if (!done) return core::fail(name_taken(done) ? taken_error() : done.error());
      if (database_.changes() > 0) return true;
    }
    return false;
  }

  core::Result<void> set_seen(std::span<const Seen> seen) override {
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
    for (const Seen& each : seen) {
      PARLEY_TRY_VOID(seen_.bind_all(each.token_id, each.at).run());
    }
    return transaction.commit();
  }

  core::Result<std::int64_t> data_version() override { return database_.data_version(); }

 private:
  Database database_;
  Statement insert_;
  Statement rows_;
  Statement revoke_id_;
  Statement revoke_name_;
  Statement rename_id_;
  Statement rename_name_;
  Statement seen_;
};

}  // namespace

const sql::Schema& TokenFile::schema() { return own_schema(); }

core::Result<std::unique_ptr<TokenFile>> TokenFile::open(const sql::StorePlace& place) {
  PARLEY_TRY_VOID(sql::make_data_dir(place.data_dir));
  PARLEY_TRY(Database database,
             sql::open_store(place, "tokens", schema(), {.journal = sql::Journal::rollback}));
  auto file = std::make_unique<SqlTokenFile>(std::move(database));
  PARLEY_TRY_VOID(file->prepare());
  return file;
}

}  // namespace parley::auth
