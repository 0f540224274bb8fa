// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/oauth/grant_file.h"

#include <utility>

#include "base/core/result.h"
#include "base/sql/data_dir.h"
#include "base/sql/database.h"
#include "base/sql/opening.h"

namespace parley::oauth {
namespace {

using core::Result;
using sql::Blob;
using sql::Database;
using sql::Statement;

constexpr const char* kSteps[] = {R"sql(
  CREATE TABLE grants (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    family_hash BLOB NOT NULL UNIQUE,
    token_id TEXT NOT NULL,
    workspace TEXT NOT NULL,
    client_id TEXT NOT NULL,
    client_name TEXT NOT NULL,
    resource TEXT NOT NULL,
    scopes TEXT NOT NULL,
    access_scopes TEXT NOT NULL,
    access_hash BLOB NOT NULL UNIQUE,
    access_until INTEGER NOT NULL,
    refresh_hash BLOB NOT NULL UNIQUE,
    refresh_until INTEGER NOT NULL,
    token_until INTEGER,
    created_at INTEGER NOT NULL
  );
  CREATE TABLE clients (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    redirects TEXT NOT NULL,
    registered_at INTEGER NOT NULL
  );
)sql"};
constexpr std::int64_t kApplicationId = 0x50726c6f;  // "Prlo"
constexpr sql::Schema kSchema{.application_id = kApplicationId, .steps = kSteps, .watched = true};

Result<Grant> grant_in(const Statement& row) {
  Grant grant;
  grant.id = row.integer(0);
  grant.family_hash = row.string(1);
  grant.token_id = row.string(2);
  grant.workspace = row.string(3);
  grant.client_id = row.string(4);
  grant.client_name = row.string(5);
  grant.resource = row.string(6);
  PARLEY_TRY(grant.scopes, auth::Rights::parse(row.text(7)));
  PARLEY_TRY(grant.access_scopes, auth::Rights::parse(row.text(8)));
  grant.access_hash = row.string(9);
  grant.access_until = row.time(10);
  grant.refresh_hash = row.string(11);
  grant.refresh_until = row.time(12);
  grant.token_until = row.optional_time(13);
  grant.created_at = row.time(14);
  return grant;
}

// Redirect addresses have no spaces.
std::string joined(const std::vector<std::string>& redirects) {
  std::string out;
  for (const std::string& uri : redirects) out += (out.empty() ? "" : " ") + uri;
  return out;
}

RegisteredClient client_in(const Statement& row) {
  RegisteredClient out;
  out.client.id = row.string(0);
  out.client.name = row.string(1);
  out.client.kind = ClientKind::registered;
  std::string_view rest = row.text(2);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    out.client.redirects.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  out.registered_at = row.time(3);
  return out;
}

class SqlGrantFile final : public GrantFile {
 public:
  explicit SqlGrantFile(Database database) : database_(std::move(database)) {}

  Result<void> prepare() {
    return database_.prepare_all({
        {&grants_,
         "SELECT id, family_hash, token_id, workspace, client_id, client_name, resource, scopes,"
         " access_scopes, access_hash, access_until, refresh_hash, refresh_until, token_until,"
         " created_at FROM grants ORDER BY id"},
        {&insert_,
         "INSERT INTO grants (family_hash, token_id, workspace, client_id, client_name, resource,"
         " scopes, access_scopes, access_hash, access_until, refresh_hash, refresh_until,"
         " token_until, created_at)"
         " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) RETURNING id"},
        {&set_tokens_,
         "UPDATE grants SET access_scopes = ?2, access_hash = ?3, access_until = ?4,"
         " refresh_hash = ?5, refresh_until = ?6 WHERE id = ?1"},
        {&remove_, "DELETE FROM grants WHERE id = ?1"},
        {&clients_, "SELECT id, name, redirects, registered_at FROM clients ORDER BY number"},
        {&insert_client_,
         "INSERT INTO clients (id, name, redirects, registered_at) VALUES (?1, ?2, ?3, ?4)"},
        {&remove_client_, "DELETE FROM clients WHERE id = ?1"},
    });
  }

  Result<std::vector<Grant>> grants() override { return grants_.rows(grant_in); }

  Result<std::int64_t> insert(const Grant& grant) override {
    const std::string scopes = grant.scopes.text();
    const std::string access_scopes = grant.access_scopes.text();
    return insert_
        .bind_all(Blob{grant.family_hash}, grant.token_id, grant.workspace, grant.client_id,
                  grant.client_name, grant.resource, scopes, access_scopes, Blob{grant.access_hash},
                  grant.access_until, Blob{grant.refresh_hash}, grant.refresh_until,
                  grant.token_until, grant.created_at)
        .first_integer();
  }

  Result<void> set_tokens(const Grant& grant) override {
    const std::string scopes = grant.access_scopes.text();
    return set_tokens_
        .bind_all(grant.id, scopes, Blob{grant.access_hash}, grant.access_until,
                  Blob{grant.refresh_hash}, grant.refresh_until)
        .run();
  }

  Result<void> remove(std::int64_t id) override { return remove_.bind_all(id).run(); }

  Result<std::vector<RegisteredClient>> clients() override { return clients_.rows(client_in); }

  Result<void> insert(const RegisteredClient& client) override {
    const std::string redirects = joined(client.client.redirects);
    return insert_client_
        .bind_all(client.client.id, client.client.name, redirects, client.registered_at)
        .run();
  }

  Result<void> remove_client(const std::string& id) override {
    return remove_client_.bind_all(id).run();
  }

  Result<std::int64_t> data_version() override { return database_.data_version(); }

 private:
  Database database_;
  Statement grants_;
  Statement insert_;
  Statement set_tokens_;
  Statement remove_;
  Statement clients_;
  Statement insert_client_;
  Statement remove_client_;
};

}  // namespace

const sql::Schema& GrantFile::schema() { return kSchema; }

Result<std::unique_ptr<GrantFile>> GrantFile::open(const sql::StorePlace& place) {
  PARLEY_TRY_VOID(sql::make_data_dir(place.data_dir));
  PARLEY_TRY(Database database,
             sql::open_store(place, "oauth", kSchema, {.journal = sql::Journal::rollback}));
  auto file = std::make_unique<SqlGrantFile>(std::move(database));
  PARLEY_TRY_VOID(file->prepare());
  return file;
}

}  // namespace parley::oauth
