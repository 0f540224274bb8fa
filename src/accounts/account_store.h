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
#include "accounts/account_file.h"
#include "accounts/user.h"
#include "auth/token_store.h"
#include "auth/token_watch.h"
#include "core/clock.h"
#include "core/entropy.h"
#include "core/string_map.h"

namespace parley::accounts {

inline constexpr std::size_t kMaxUsers = 10'000;     // that are not deleted
inline constexpr std::size_t kMaxLoginsOfUser = 10;  // the oldest goes
inline constexpr core::Millis kAccessLife = std::chrono::hours(24);
inline constexpr core::Millis kRefreshLife = std::chrono::hours(24 * 7);

// The beginnings of the tokens of logins.
inline constexpr std::string_view kAccessPrefix = "prla_";
inline constexpr std::string_view kRefreshPrefix = "prlr_";

struct NewUser {
  std::string email;
  std::string username;
  std::string password_hash;
  bool admin = false;
  std::optional<std::string> workspace = {};  // of a token, to be shared; std::nullopt: a new one
};

// Changes what is given.
struct UserChange {
  std::optional<std::string> username;
  std::optional<std::string> avatar_url;
  std::optional<std::string> password_hash;
  std::optional<UserStatus> status;  // not deleted: AccountStore::remove()
  std::optional<bool> admin;
};

// Tokens of one login, for its client; they cannot be had again.
struct IssuedLogin {
  User user;
  std::string access_token;
  std::string refresh_token;
};

// The users of a data directory and their logins, in DATA/accounts.db and in memory. Thread-safe.
// Other processes may change the file; poll() takes that up. Calls that change something wait for
// the disk: never on a loop.
class AccountStore {
 public:
  static core::Result<std::unique_ptr<AccountStore>> open(const std::string& data_dir,
                                                          const core::Clock& clock,
                                                          core::Entropy& entropy);

  // --- from memory -----------------------------------------------------------------------------

  // Whom an access token stands for: the user's workspace, name and rights. A refresh token is
  // none. Errors: `unauthenticated`.
  core::Result<auth::Identity> identify(std::string_view access_token) const;
  // The user of an access token that is valid; std::nullopt: none.
  std::optional<User> user_of(std::string_view access_token) const;
  // By email or username, ASCII letters without case.
  std::optional<UserRow> find(std::string_view name) const;
  std::optional<User> user(std::int64_t id) const;
  std::vector<User> users() const;  // by id
  // As auth::Verifier::watch(), of logins in a workspace.
  std::unique_ptr<auth::TokenWatch> watch(std::string_view workspace, core::Scheduler& scheduler,
                                          core::Task gone) {
    return watchers_.watch(workspace, scheduler, std::move(gone));
  }

  // --- with the disk ---------------------------------------------------------------------------

  // Errors: `invalid_argument`, `already_exists` (both with the field), `resource_exhausted`
  // (kMaxUsers).
  core::Result<User> create(const NewUser& wanted);
  // Another password, status or role ends the logins of the user. Errors: `not_found`,
  // `invalid_argument`, `already_exists`.
  core::Result<User> change(std::int64_t id, const UserChange& change);
  // Ends the logins and forgets the password. The workspace and what is in it stay. Errors:
  // `not_found`.
  core::Result<void> remove(std::int64_t id);

  // A login of the user whose password has this hash. Errors: `unauthenticated` (the password was
  // changed meanwhile), `permission_denied` (the user is not active).
  core::Result<IssuedLogin> log_in(std::int64_t user, std::string_view password_hash);
  // A new access token of the login; the one before ends at once. Errors: `unauthenticated`.
  core::Result<std::string> refresh(std::string_view refresh_token);
  // Ends the login of an access token; one that is unknown is over already.
  core::Result<void> log_out(std::string_view access_token);

  // Takes up changes by other processes and the end of access tokens. Calls `on_closed` with the
  // workspace of each user who is no longer active since the last call, unless a token shares it:
  // what goes on there ends. The end of logins alone ends nothing but their connections. Call
  // about once a second.
  void poll(const std::function<void(const std::string& workspace)>& on_closed);

 private:
  struct Login {
    LoginRow row;
    bool over = false;  // the end of its access token was told
  };
  struct Kept {
    UserRow row;
    std::vector<Login> logins;
  };
  struct Found {
    const Kept* kept;
    const Login* login;
  };

  AccountStore(std::unique_ptr<AccountFile> file, const core::Clock& clock, core::Entropy& entropy)
      : clock_(clock), entropy_(entropy), file_(std::move(file)) {}

  // With file_mutex_ held.
  core::Result<void> reload();
  core::Result<void> reload_user(std::int64_t id);
  core::Result<LoginRow> login_of(const core::StringMap<std::int64_t>& index, std::string_view hash,
                                  bool access) const;
  // With mutex_ held.
  void put(UserRow row, std::vector<LoginRow> logins);
  std::optional<Kept> take_out(std::int64_t id);
  // Notes what has ended since: logins, and the user itself.
  void note_ends(const Kept& before);
  std::optional<Found> find_access(std::string_view access_token) const;

  const core::Clock& clock_;
  core::Entropy& entropy_;
  auth::TokenWatchers watchers_;

  std::mutex file_mutex_;  // guards these two; taken before mutex_
  std::unique_ptr<AccountFile> file_;
  std::int64_t loaded_version_ = 0;

  mutable std::mutex mutex_;  // guards all below; never held over a call of the file
  std::map<std::int64_t, Kept> users_;
  core::StringMap<std::int64_t> by_name_;     // lowered email and username: the id
  core::StringMap<std::int64_t> by_access_;   // hash of a token: the user's id
  core::StringMap<std::int64_t> by_refresh_;  // the same
  std::set<std::string> closed_;              // workspaces, for the next poll()
};

}  // namespace parley::accounts
