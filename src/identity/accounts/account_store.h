// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/outage_log.h"
#include "base/core/string_map.h"
#include "base/sql/store_place.h"
#include "identity/accounts/account_file.h"
#include "identity/accounts/user.h"
#include "identity/auth/token_store.h"
#include "identity/auth/token_watch.h"

namespace parley::accounts {

// Limit (Users and logins): users that are not deleted. Reached: `resource_exhausted`.
inline constexpr std::size_t kMaxUsers = 10'000;  // users that are not deleted
// Limit (Users and logins): logins of a user. Reached: the oldest ends.
inline constexpr std::size_t kMaxLoginsOfUser = 10;  // the oldest login is ended
// Limit (Users and logins): life of an access token. Reached: 401; connections are closed with
// 4401.
inline constexpr core::Millis kAccessLife = std::chrono::hours(24);
// Limit (Users and logins): life of a refresh token. Reached: 401.
inline constexpr core::Millis kRefreshLife = std::chrono::hours(24 * 7);

// Prefixes of the tokens of logins.
inline constexpr std::string_view kAccessPrefix = "prla_";
inline constexpr std::string_view kRefreshPrefix = "prlr_";

struct NewUser {
  std::string email;
  std::string username;
  std::string password_hash;
  bool admin = false;
  std::optional<std::string> workspace = {};  // id of a token whose workspace is shared;
                                              // std::nullopt: a new workspace
};

// Sets the fields that have a value.
struct UserChange {
  std::optional<std::string> username;
  std::optional<std::string> avatar_url;
  std::optional<std::string> password_hash;
  std::optional<UserStatus> status;  // not `deleted`: use AccountStore::remove()
  std::optional<bool> admin;
};

// The tokens of one login, for its client; they cannot be read again.
struct IssuedLogin {
  User user;
  std::string access_token;
  std::string refresh_token;
};

// The users of a data directory and their logins, in DATA/accounts.db and in memory. Thread-safe.
// Other processes may change the file; poll() reads such changes. Calls that change data wait for
// the disk: never on a loop's thread.
class AccountStore {
 public:
  // `watchers` is told the workspaces of logins that have ended, and outlives the store.
  static core::Result<std::unique_ptr<AccountStore>> open(const sql::StorePlace& place,
                                                          const core::Clock& clock,
                                                          core::Entropy& entropy,
                                                          auth::TokenWatchers& watchers);
  // The same over an open file.
  static core::Result<std::unique_ptr<AccountStore>> with_file(std::unique_ptr<AccountFile> file,
                                                               const core::Clock& clock,
                                                               core::Entropy& entropy,
                                                               auth::TokenWatchers& watchers);

  // --- from memory -----------------------------------------------------------------------------

  // The holder of an access token: the user's workspace, name and rights. Refresh tokens are
  // refused. Errors: `unauthenticated`.
  core::Result<auth::Identity> identify(std::string_view access_token) const;
  // The user of a valid access token; std::nullopt: the token is not valid.
  std::optional<User> user_of(std::string_view access_token) const;
  // By email or username, ASCII letters without case.
  std::optional<UserRow> find(std::string_view name) const;
  std::optional<User> user(std::int64_t id) const;
  std::vector<User> users() const;  // by id

  // --- with the disk ---------------------------------------------------------------------------

  // Errors: `invalid_argument`, `already_exists` (both with the field), `resource_exhausted`
  // (kMaxUsers).
  core::Result<User> create(const NewUser& wanted);
  // A changed password, status or role ends the logins of the user. Errors: `not_found`,
  // `invalid_argument`, `already_exists`.
  core::Result<User> change(std::int64_t id, const UserChange& change);
  // Ends the logins and erases the password. The workspace and its content stay. Errors:
  // `not_found`.
  core::Result<void> remove(std::int64_t id);

  // Makes a login of the user, provided that the stored hash is still `password_hash`. Errors:
  // `unauthenticated` (the password was changed meanwhile), `permission_denied` (the user is not
  // active).
  core::Result<IssuedLogin> log_in(std::int64_t user, std::string_view password_hash);
  // Issues a new access token of the login; the previous one ends at once. Errors:
  // `unauthenticated`.
  core::Result<std::string> refresh(std::string_view refresh_token);
  // Ends the login of an access token. A no-op for an unknown token.
  core::Result<void> log_out(std::string_view access_token);

  // Reads changes by other processes and ends expired access tokens. Calls `on_closed` with the
  // workspace of each user who has become inactive since the last call, unless a token shares the
  // workspace; the callback must end the work in progress there. The end of a login ends only its
  // connections. Call about once a second.
  void poll(const std::function<void(const std::string& workspace)>& on_closed);

 private:
  struct Login {
    LoginRow row;
    bool over = false;  // the end of its access token has been reported
  };
  struct Record {
    UserRow row;
    std::vector<Login> logins;
  };
  struct Found {
    const Record* record;
    const Login* login;
  };

  AccountStore(std::unique_ptr<AccountFile> file, const core::Clock& clock, core::Entropy& entropy,
               auth::TokenWatchers& watchers)
      : clock_(clock), entropy_(entropy), watchers_(watchers), file_(std::move(file)) {}

  // With file_mutex_ held.
  core::Result<void> reload();
  core::Result<void> reload_user(std::int64_t id);
  core::Result<LoginRow> login_of(const core::StringMap<std::int64_t>& index, std::string_view hash,
                                  bool access) const;
  // With mutex_ held.
  void put(UserRow row, std::vector<LoginRow> logins);
  std::optional<Record> take_out(std::int64_t id);
  // Compares a user with the state `before`: notifies the watchers of ended logins, and records in
  // closed_ that the user is no longer active.
  void note_ends(const Record& before);
  std::optional<Found> find_access(std::string_view access_token) const;

  const core::Clock& clock_;
  core::Entropy& entropy_;
  auth::TokenWatchers& watchers_;

  std::mutex file_mutex_;  // guards the two members below; locked before mutex_
  std::unique_ptr<AccountFile> file_;
  std::int64_t loaded_version_ = 0;
  core::OutageLog reads_{"accounts: changes of users cannot be read"};

  mutable std::mutex mutex_;  // guards all members below; never held during a call of the file
  std::map<std::int64_t, Record> users_;
  core::StringMap<std::int64_t> by_name_;     // lowered email and username: the id
  core::StringMap<std::int64_t> by_access_;   // hash of an access token: the user's id
  core::StringMap<std::int64_t> by_refresh_;  // hash of a refresh token: the user's id
  std::set<std::string> closed_;              // workspaces, for the next poll()
};

}  // namespace parley::accounts
