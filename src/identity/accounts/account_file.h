// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/sql/migration.h"
#include "base/sql/store_place.h"
#include "identity/accounts/user.h"

namespace parley::accounts {

struct UserRow {
  User user;
  std::string password_hash;  // in argon2's text form
};

// One login. Only the SHA-256 of its tokens is stored (base/core/secret.h).
struct LoginRow {
  std::int64_t id = 0;
  std::int64_t user_id = 0;
  std::string access_hash;
  core::WallTime access_until;
  std::string refresh_hash;
  core::WallTime refresh_until;
};

// DATA/accounts.db: users and logins, its format in docs/events.md. One connection, one thread at a
// time. Other processes may use the file at the same time: read a row in the transaction that
// changes it.
class AccountFile {
 public:
  static const sql::Schema& schema();
  // Makes the directory (0700) and the file (0600) if they are missing. Errors: those of
  // sql::make_data_dir() and sql::open_store().
  static core::Result<std::unique_ptr<AccountFile>> open(const sql::StorePlace& place);
  virtual ~AccountFile() = default;

  // Runs `work` in one transaction, which is rolled back if `work` fails.
  virtual core::Result<void> transaction(absl::FunctionRef<core::Result<void>()> work) = 0;

  // Users that are not deleted, by id.
  virtual core::Result<std::vector<UserRow>> users() = 0;
  // Errors: `not_found` (no such user, or a deleted one).
  virtual core::Result<UserRow> user(std::int64_t id) = 0;
  virtual core::Result<std::uint64_t> count_users() = 0;
  // Returns the id of the new user. Errors: `already_exists` (email, username or workspace is
  // taken; the error names the field).
  virtual core::Result<std::int64_t> insert(const UserRow& row) = 0;
  // Writes every column of the row. Errors as insert().
  virtual core::Result<void> update(const UserRow& row) = 0;

  virtual core::Result<std::vector<LoginRow>> logins() = 0;
  // In order of creation.
  virtual core::Result<std::vector<LoginRow>> logins_of(std::int64_t user) = 0;
  virtual core::Result<void> insert(const LoginRow& row) = 0;
  virtual core::Result<void> set_access(const LoginRow& row) = 0;
  virtual core::Result<void> remove_login(std::int64_t id) = 0;
  virtual core::Result<void> remove_logins_of(std::int64_t user) = 0;

  // A number that changes when another connection has changed the file.
  virtual core::Result<std::int64_t> data_version() = 0;
};

}  // namespace parley::accounts
