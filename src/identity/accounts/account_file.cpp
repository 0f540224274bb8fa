// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/accounts/account_file.h"

#include <utility>

#include "base/core/result.h"
#include "base/sql/data_dir.h"
#include "base/sql/database.h"
#include "base/sql/opening.h"
#include "base/sql/transaction.h"

namespace parley::accounts {
namespace {

using core::Code;
using core::Result;
using sql::Database;
using sql::Statement;

constexpr const char* kSteps[] = {R"sql(
  CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    email TEXT NOT NULL COLLATE NOCASE,
    username TEXT NOT NULL COLLATE NOCASE,
    avatar_url TEXT NOT NULL,
    status TEXT NOT NULL,
    admin INTEGER NOT NULL,
    workspace TEXT NOT NULL,
    shared INTEGER NOT NULL,
    password_hash TEXT NOT NULL,
    last_login_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX users_email ON users (email) WHERE status <> 'DELETED';
  CREATE UNIQUE INDEX users_username ON users (username) WHERE status <> 'DELETED';
  CREATE UNIQUE INDEX users_workspace ON users (workspace) WHERE status <> 'DELETED';
  CREATE TABLE logins (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL,
    access_hash BLOB NOT NULL UNIQUE,
    access_until INTEGER NOT NULL,
    refresh_hash BLOB NOT NULL UNIQUE,
    refresh_until INTEGER NOT NULL
  );
  CREATE INDEX logins_of_user ON logins (user_id, id);
)sql"};
constexpr std::int64_t kApplicationId = 0x50726c61;  // "Prla"
constexpr sql::Schema kSchema{.application_id = kApplicationId, .steps = kSteps, .watched = true};

constexpr const char* kSelectUsers =
    "SELECT id, email, username, avatar_url, status, admin, workspace, shared, password_hash,"
    " last_login_at, created_at, updated_at FROM users WHERE status <> 'DELETED' ";
constexpr const char* kSelectLogins =
    "SELECT id, user_id, access_hash, access_until, refresh_hash, refresh_until FROM logins ";

Result<UserRow> user_in(const Statement& row) {
  UserRow out;
  User& user = out.user;
  user.id = row.integer(0);
  user.email = row.text(1);
  user.username = row.text(2);
  user.avatar_url = row.text(3);
  const std::optional<UserStatus> status = status_from(row.text(4));
  if (!status) {
    return core::fail(Code::data_loss, "accounts.db: the status of the user " +
                                           std::to_string(user.id) + " is not a known status.");
  }
  user.status = *status;
  user.admin = row.flag(5);
  user.workspace = row.text(6);
  user.shared = row.flag(7);
  out.password_hash = row.text(8);
  user.last_login_at = row.optional_time(9);
  user.created_at = row.time(10);
  user.updated_at = row.time(11);
  return out;
}

LoginRow login_in(const Statement& row) {
  LoginRow out;
  out.id = row.integer(0);
  out.user_id = row.integer(1);
  out.access_hash = row.text(2);
  out.access_until = row.time(3);
  out.refresh_hash = row.text(4);
  out.refresh_until = row.time(5);
  return out;
}

class SqlAccountFile final : public AccountFile {
 public:
  explicit SqlAccountFile(sql::Database database) : database_(std::move(database)) {}

  core::Result<std::int64_t> data_version() override { return database_.data_version(); }

  Result<void> transaction(absl::FunctionRef<Result<void>()> work) override {
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
    Result<void> done = work();
    return done ? transaction.commit() : done;
  }

  Result<std::vector<UserRow>> users() override {
    return database_.rows(kSelectUsers + std::string("ORDER BY id"), user_in);
  }

  Result<UserRow> user(std::int64_t id) override {
    PARLEY_TRY(std::optional<UserRow> row,
               database_.first(kSelectUsers + std::string("AND id = ?1"), user_in, id));
    if (!row) return core::fail(Code::not_found, "There is no such user.", "id");
    return std::move(*row);
  }

  Result<std::uint64_t> count_users() override {
    return database_.count("SELECT count(*) FROM users WHERE status <> 'DELETED'");
  }

  Result<std::int64_t> insert(const UserRow& row) override {
    const User& user = row.user;
    PARLEY_TRY_VOID(check_free(user));
    return database_.integer(
        "INSERT INTO users (email, username, avatar_url, status, admin, workspace, shared,"
        " password_hash, last_login_at, created_at, updated_at)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) RETURNING id",
        user.email, user.username, user.avatar_url, status_name(user.status), user.admin,
        user.workspace, user.shared, row.password_hash, user.last_login_at, user.created_at,
        user.updated_at);
  }

  Result<void> update(const UserRow& row) override {
    const User& user = row.user;
    PARLEY_TRY_VOID(check_free(user));
    return database_.run(
        "UPDATE users SET email = ?1, username = ?2, avatar_url = ?3, status = ?4, admin = ?5,"
        " workspace = ?6, shared = ?7, password_hash = ?8, last_login_at = ?9, created_at = ?10,"
        " updated_at = ?11 WHERE id = ?12",
        user.email, user.username, user.avatar_url, status_name(user.status), user.admin,
        user.workspace, user.shared, row.password_hash, user.last_login_at, user.created_at,
        user.updated_at, user.id);
  }

  Result<std::vector<LoginRow>> logins() override {
    return database_.rows(kSelectLogins + std::string("ORDER BY id"), login_in);
  }

  Result<std::vector<LoginRow>> logins_of(std::int64_t user) override {
    return database_.rows(kSelectLogins + std::string("WHERE user_id = ?1 ORDER BY id"), login_in,
                          user);
  }

  Result<void> insert(const LoginRow& row) override {
    return database_.run(
        "INSERT INTO logins (user_id, access_hash, access_until, refresh_hash, refresh_until)"
        " VALUES (?1, ?2, ?3, ?4, ?5)",
        row.user_id, sql::Blob{row.access_hash}, row.access_until, sql::Blob{row.refresh_hash},
        row.refresh_until);
  }

  Result<void> set_access(const LoginRow& row) override {
    return database_.run("UPDATE logins SET access_hash = ?1, access_until = ?2 WHERE id = ?3",
                         sql::Blob{row.access_hash}, row.access_until, row.id);
  }

  Result<void> remove_login(std::int64_t id) override {
    return database_.run("DELETE FROM logins WHERE id = ?1", id);
  }

  Result<void> remove_logins_of(std::int64_t user) override {
    return database_.run("DELETE FROM logins WHERE user_id = ?1", user);
  }

 private:
  Result<void> check_free(const User& user) {
    if (user.status == UserStatus::deleted) return {};
    struct Unique {
      const char* column;
      std::string_view value;
      const char* message;
    };
    for (const Unique& one : {Unique{"email", user.email, "Another user has this email."},
                              Unique{"username", user.username, "Another user has this username."},
                              Unique{"workspace", user.workspace,
                                     "Another user shares the workspace of this token."}}) {
      PARLEY_TRY(
          const std::uint64_t taken,
          database_.count("SELECT count(*) FROM users WHERE status <> 'DELETED' AND id <> ?1 AND " +
                              std::string(one.column) + " = ?2",
                          user.id, one.value));
      if (taken > 0) return core::fail(Code::already_exists, one.message, one.column);
    }
    return {};
  }

  sql::Database database_;
};

}  // namespace

const sql::Schema& AccountFile::schema() { return kSchema; }

Result<std::unique_ptr<AccountFile>> AccountFile::open(const sql::StorePlace& place) {
  PARLEY_TRY_VOID(sql::make_data_dir(place.data_dir));
  PARLEY_TRY(Database database,
             sql::open_store(place, "accounts", kSchema, {.journal = sql::Journal::rollback}));
  return std::unique_ptr<AccountFile>(new SqlAccountFile(std::move(database)));
}

}  // namespace parley::accounts
