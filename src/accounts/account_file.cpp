// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "accounts/account_file.h"

#include <array>
#include <utility>

#include "sql/data_dir.h"
#include "sql/opening.h"

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
constexpr sql::Schema kSchema{.application_id = kApplicationId, .steps = kSteps};

constexpr std::string_view kSelectUsers =
    "SELECT id, email, username, avatar_url, status, admin, workspace, shared, password_hash,"
    " last_login_at, created_at, updated_at FROM users WHERE status <> 'DELETED' ";
constexpr std::string_view kSelectLogins =
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
                                           std::to_string(user.id) + " cannot be read.");
  }
  user.status = *status;
  user.admin = row.integer(5) != 0;
  user.workspace = row.text(6);
  user.shared = row.integer(7) != 0;
  out.password_hash = row.text(8);
  if (!row.is_null(9)) user.last_login_at = core::from_unix_ms(row.integer(9));
  user.created_at = core::from_unix_ms(row.integer(10));
  user.updated_at = core::from_unix_ms(row.integer(11));
  return out;
}

LoginRow login_in(const Statement& row) {
  LoginRow out;
  out.id = row.integer(0);
  out.user_id = row.integer(1);
  out.access_hash = row.text(2);
  out.access_until = core::from_unix_ms(row.integer(3));
  out.refresh_hash = row.text(4);
  out.refresh_until = core::from_unix_ms(row.integer(5));
  return out;
}

}  // namespace

sql::FileKind AccountFile::file_kind() { return kSchema.kind(); }

Result<std::unique_ptr<AccountFile>> AccountFile::open(const std::string& data_dir) {
  Result<void> made = sql::make_data_dir(data_dir);
  if (!made) return core::fail(std::move(made.error()));
  Result<Database> database =
      sql::open_file(data_dir + "/accounts.db", kSchema, {.journal = sql::Journal::rollback});
  if (!database) return core::fail(std::move(database.error()));
  return std::unique_ptr<AccountFile>(new AccountFile(std::move(*database)));
}

Result<void> AccountFile::transaction(absl::FunctionRef<Result<void>()> work) {
  Result<void> done = database_.execute("BEGIN IMMEDIATE");
  if (!done) return done;
  done = work();
  if (done) done = database_.execute("COMMIT");
  if (!done && database_.in_transaction()) (void)database_.execute("ROLLBACK");
  return done;
}

Result<std::vector<UserRow>> AccountFile::read_users(std::string_view rest,
                                                     std::int64_t parameter) {
  Result<Statement> query = database_.prepare(std::string(kSelectUsers) + std::string(rest));
  if (!query) return core::fail(query.error());
  if (rest.find('?') != std::string_view::npos) query->bind(1, parameter);
  std::vector<UserRow> out;
  while (true) {
    const Result<bool> row = query->step();
    if (!row) return core::fail(row.error());
    if (!*row) return out;
    Result<UserRow> user = user_in(*query);
    if (!user) return core::fail(std::move(user.error()));
    out.push_back(std::move(*user));
  }
}

Result<std::vector<UserRow>> AccountFile::users() { return read_users("ORDER BY id", 0); }

Result<UserRow> AccountFile::user(std::int64_t id) {
  Result<std::vector<UserRow>> rows = read_users("AND id = ?1", id);
  if (!rows) return core::fail(std::move(rows.error()));
  if (rows->empty()) return core::fail(Code::not_found, "There is no such user.", "id");
  return std::move(rows->front());
}

Result<std::uint64_t> AccountFile::count_users() {
  const Result<std::int64_t> count =
      database_.query_integer("SELECT count(*) FROM users WHERE status <> 'DELETED'");
  if (!count) return core::fail(count.error());
  return static_cast<std::uint64_t>(*count);
}

Result<void> AccountFile::check_free(const User& user) {
  if (user.status == UserStatus::deleted) return {};
  struct Unique {
    std::string_view column;
    std::string_view value;
    const char* message;
  };
  const std::array<Unique, 3> all = {{
      {"email", user.email, "Another user has this email."},
      {"username", user.username, "Another user has this username."},
      {"workspace", user.workspace, "Another user shares the workspace of this token."},
  }};
  for (const Unique& one : all) {
    Result<Statement> query =
        database_.prepare("SELECT 1 FROM users WHERE status <> 'DELETED' AND id <> ?1 AND " +
                          std::string(one.column) + " = ?2");
    if (!query) return core::fail(query.error());
    const Result<bool> taken = query->bind(1, user.id).bind(2, one.value).step();
    if (!taken) return core::fail(taken.error());
    if (*taken) return core::fail(Code::already_exists, one.message, std::string(one.column));
  }
  return {};
}

Result<void> AccountFile::bind_and_run(std::string_view sql, const UserRow& row) {
  if (Result<void> free = check_free(row.user); !free) return free;
  Result<Statement> statement = database_.prepare(sql);
  if (!statement) return core::fail(statement.error());
  const User& user = row.user;
  statement->bind(1, user.email).bind(2, user.username).bind(3, user.avatar_url);
  statement->bind(4, status_name(user.status)).bind(5, user.admin ? 1 : 0);
  statement->bind(6, user.workspace).bind(7, user.shared ? 1 : 0).bind(8, row.password_hash);
  if (user.last_login_at) {
    statement->bind(9, core::to_unix_ms(*user.last_login_at));
  } else {
    statement->bind_null(9);
  }
  statement->bind(10, core::to_unix_ms(user.created_at));
  statement->bind(11, core::to_unix_ms(user.updated_at));
  if (user.id != 0) statement->bind(12, user.id);
  return statement->run();
}

Result<std::int64_t> AccountFile::insert(const UserRow& row) {
  Result<void> done = bind_and_run(
      "INSERT INTO users (email, username, avatar_url, status, admin, workspace, shared,"
      " password_hash, last_login_at, created_at, updated_at)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
      row);
  if (!done) return core::fail(std::move(done.error()));
  return database_.query_integer("SELECT last_insert_rowid()");
}

Result<void> AccountFile::update(const UserRow& row) {
  return bind_and_run(
      "UPDATE users SET email = ?1, username = ?2, avatar_url = ?3, status = ?4, admin = ?5,"
      " workspace = ?6, shared = ?7, password_hash = ?8, last_login_at = ?9, created_at = ?10,"
      " updated_at = ?11 WHERE id = ?12",
      row);
}

Result<std::vector<LoginRow>> AccountFile::read_logins(std::string_view rest,
                                                       std::int64_t parameter) {
  Result<Statement> query = database_.prepare(std::string(kSelectLogins) + std::string(rest));
  if (!query) return core::fail(query.error());
  if (rest.find('?') != std::string_view::npos) query->bind(1, parameter);
  std::vector<LoginRow> out;
  while (true) {
    const Result<bool> row = query->step();
    if (!row) return core::fail(row.error());
    if (!*row) return out;
    out.push_back(login_in(*query));
  }
}

Result<std::vector<LoginRow>> AccountFile::logins() { return read_logins("ORDER BY id", 0); }

Result<std::vector<LoginRow>> AccountFile::logins_of(std::int64_t user) {
  return read_logins("WHERE user_id = ?1 ORDER BY id", user);
}

Result<void> AccountFile::insert(const LoginRow& row) {
  Result<Statement> insert = database_.prepare(
      "INSERT INTO logins (user_id, access_hash, access_until, refresh_hash, refresh_until)"
      " VALUES (?1, ?2, ?3, ?4, ?5)");
  if (!insert) return core::fail(insert.error());
  insert->bind(1, row.user_id).bind_blob(2, row.access_hash);
  insert->bind(3, core::to_unix_ms(row.access_until)).bind_blob(4, row.refresh_hash);
  return insert->bind(5, core::to_unix_ms(row.refresh_until)).run();
}

Result<void> AccountFile::set_access(const LoginRow& row) {
  Result<Statement> update =
      database_.prepare("UPDATE logins SET access_hash = ?1, access_until = ?2 WHERE id = ?3");
  if (!update) return core::fail(update.error());
  return update->bind_blob(1, row.access_hash)
      .bind(2, core::to_unix_ms(row.access_until))
      .bind(3, row.id)
      .run();
}

Result<void> AccountFile::run(std::string_view sql, std::int64_t parameter) {
  Result<Statement> statement = database_.prepare(sql);
  if (!statement) return core::fail(statement.error());
  return statement->bind(1, parameter).run();
}

Result<void> AccountFile::remove_login(std::int64_t id) {
  return run("DELETE FROM logins WHERE id = ?1", id);
}

Result<void> AccountFile::remove_logins_of(std::int64_t user) {
  return run("DELETE FROM logins WHERE user_id = ?1", user);
}

}  // namespace parley::accounts
