// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/accounts/account_store.h"

#include <algorithm>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/id.h"
#include "base/core/result.h"
#include "base/core/secret.h"

namespace parley::accounts {
namespace {

using core::Code;
using core::Result;

constexpr std::size_t kWorkspaceBytes = 8;  // as many as in the id of a token

core::Error over() {
  return {Code::unauthenticated, "This login is no longer valid. Log in again.", {}};
}

Result<void> check_new(const NewUser& wanted) {
  PARLEY_TRY_VOID(check_email(wanted.email));
  return check_username(wanted.username);
}

Result<void> apply(const UserChange& change, UserRow& row) {
  Result<void> checked;
  if (change.username) checked = check_username(*change.username);
  if (checked && change.avatar_url) checked = check_avatar_url(*change.avatar_url);
  if (!checked) return checked;
  User& user = row.user;
  user.username = change.username.value_or(user.username);
  user.avatar_url = change.avatar_url.value_or(user.avatar_url);
  row.password_hash = change.password_hash.value_or(row.password_hash);
  user.status = change.status.value_or(user.status);
  user.admin = change.admin.value_or(user.admin);
  return {};
}

}  // namespace

Result<std::unique_ptr<AccountStore>> AccountStore::open(const sql::StorePlace& place,
                                                         const core::Clock& clock,
                                                         core::Entropy& entropy,
                                                         auth::TokenWatchers& watchers) {
  PARLEY_TRY(std::unique_ptr<AccountFile> file, AccountFile::open(place));
  return with_file(std::move(file), clock, entropy, watchers);
}

Result<std::unique_ptr<AccountStore>> AccountStore::with_file(std::unique_ptr<AccountFile> file,
                                                              const core::Clock& clock,
                                                              core::Entropy& entropy,
                                                              auth::TokenWatchers& watchers) {
  std::unique_ptr<AccountStore> store(new AccountStore(std::move(file), clock, entropy, watchers));
  const std::scoped_lock lock(store->file_mutex_);
  PARLEY_TRY_VOID(store->reload());
  return store;
}

// --- memory --------------------------------------------------------------------------------------

std::optional<AccountStore::Found> AccountStore::find_access(std::string_view access_token) const {
  if (!access_token.starts_with(kAccessPrefix)) return std::nullopt;
  const std::string hash = core::secret_hash(access_token);
  const auto id = by_access_.find(hash);
  if (id == by_access_.end()) return std::nullopt;
  const Record& user = users_.at(id->second);
  const core::WallTime now = clock_.wall();
  for (const Login& login : user.logins) {
    if (login.row.access_hash != hash || login.row.access_until <= now) continue;
    if (user.row.user.status != UserStatus::active) return std::nullopt;
    return Found{&user, &login};
  }
  return std::nullopt;
}

Result<auth::Identity> AccountStore::identify(std::string_view access_token) const {
  const std::scoped_lock lock(mutex_);
  const std::optional<Found> found = find_access(access_token);
  if (!found) return core::fail(over());
  const User& user = found->record->row.user;
  auth::Identity identity{user.workspace, user.username, found->login->row.access_until,
                          rights_of(user)};
  identity.user = "user-" + std::to_string(user.id);
  return identity;
}

std::optional<User> AccountStore::user_of(std::string_view access_token) const {
  const std::scoped_lock lock(mutex_);
  const std::optional<Found> found = find_access(access_token);
  if (!found) return std::nullopt;
  return found->record->row.user;
}

std::optional<UserRow> AccountStore::find(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const auto id = by_name_.find(core::lowered(name));
  if (id == by_name_.end()) return std::nullopt;
  return users_.at(id->second).row;
}

std::optional<User> AccountStore::user(std::int64_t id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = users_.find(id);
  if (found == users_.end()) return std::nullopt;
  return found->second.row.user;
}

std::vector<User> AccountStore::users() const {
  const std::scoped_lock lock(mutex_);
  std::vector<User> out;
  out.reserve(users_.size());
  for (const auto& [id, user] : users_) out.push_back(user.row.user);
  return out;
}

std::optional<AccountStore::Record> AccountStore::take_out(std::int64_t id) {
  const auto found = users_.find(id);
  if (found == users_.end()) return std::nullopt;
  Record user = std::move(found->second);
  users_.erase(found);
  by_name_.erase(core::lowered(user.row.user.email));
  by_name_.erase(core::lowered(user.row.user.username));
  for (const Login& login : user.logins) {
    by_access_.erase(login.row.access_hash);
    by_refresh_.erase(login.row.refresh_hash);
  }
  return user;
}

void AccountStore::put(UserRow row, std::vector<LoginRow> logins) {
  const core::WallTime now = clock_.wall();
  const std::int64_t id = row.user.id;
  by_name_[core::lowered(row.user.email)] = id;
  by_name_[core::lowered(row.user.username)] = id;
  Record& user = users_[id];
  user.row = std::move(row);
  for (LoginRow& login : logins) {
    by_access_[login.access_hash] = id;
    by_refresh_[login.refresh_hash] = id;
    const bool is_over = login.access_until <= now;
    user.logins.push_back({std::move(login), is_over});
  }
}

void AccountStore::note_ends(const Record& before) {
  const User& user = before.row.user;
  const core::WallTime now = clock_.wall();
  const bool login_ended =
      std::any_of(before.logins.begin(), before.logins.end(), [this, now](const Login& login) {
        return !login.over &&
               (login.row.access_until <= now || !by_access_.contains(login.row.access_hash));
      });
  if (login_ended) watchers_.tell(user.workspace);
  const auto still = users_.find(user.id);
  const bool active = still != users_.end() && still->second.row.user.status == UserStatus::active;
  if (user.status == UserStatus::active && !active && !user.shared) closed_.insert(user.workspace);
}

Result<void> AccountStore::reload_user(std::int64_t id) {
  Result<UserRow> row = file_->user(id);
  if (!row && row.error().code != Code::not_found) return core::fail(std::move(row.error()));
  PARLEY_TRY(std::vector<LoginRow> logins, file_->logins_of(id));
  const std::scoped_lock lock(mutex_);
  const std::optional<Record> before = take_out(id);
  if (row) put(std::move(*row), std::move(logins));
  if (before) note_ends(*before);
  return {};
}

Result<void> AccountStore::reload() {
  // Read the version first: the next poll() then finds a change made between the two reads.
  PARLEY_TRY(const std::int64_t version, file_->data_version());
  PARLEY_TRY(std::vector<UserRow> rows, file_->users());
  PARLEY_TRY(std::vector<LoginRow> logins, file_->logins());
  std::map<std::int64_t, std::vector<LoginRow>> by_user;
  for (LoginRow& login : logins) by_user[login.user_id].push_back(std::move(login));
  const std::scoped_lock lock(mutex_);
  const std::map<std::int64_t, Record> before = std::exchange(users_, {});
  by_name_.clear();
  by_access_.clear();
  by_refresh_.clear();
  for (UserRow& row : rows) {
    const std::int64_t id = row.user.id;
    put(std::move(row), std::move(by_user[id]));
  }
  for (const auto& [id, user] : before) note_ends(user);
  loaded_version_ = version;
  return {};
}

void AccountStore::poll(const std::function<void(const std::string&)>& on_closed) {
  const std::scoped_lock file_lock(file_mutex_);
  const Result<std::int64_t> version = file_->data_version();
  Result<void> done;
  if (!version) {
    done = core::fail(version.error());
  } else if (*version != loaded_version_) {
    done = reload();
  }
  reads_.note(done);
  std::set<std::string> closed;
  {
    const std::scoped_lock lock(mutex_);
    const core::WallTime now = clock_.wall();
    for (auto& [id, user] : users_) {
      for (Login& login : user.logins) {
        if (login.over || now < login.row.access_until) continue;
        login.over = true;
        watchers_.tell(user.row.user.workspace);
      }
    }
    closed.swap(closed_);
  }
  for (const std::string& workspace : closed) on_closed(workspace);
}

// --- changes -------------------------------------------------------------------------------------

Result<User> AccountStore::create(const NewUser& wanted) {
  PARLEY_TRY_VOID(check_new(wanted));
  UserRow row;
  row.user.email = wanted.email;
  row.user.username = wanted.username;
  row.user.admin = wanted.admin;
  row.user.shared = wanted.workspace.has_value();
  row.user.workspace =
      wanted.workspace ? *wanted.workspace : core::random_hex(entropy_, kWorkspaceBytes);
  row.user.created_at = row.user.updated_at = clock_.wall();
  row.password_hash = wanted.password_hash;
  const std::scoped_lock lock(file_mutex_);
  Result<void> done = file_->transaction([&]() -> Result<void> {
    PARLEY_TRY(const std::uint64_t count, file_->count_users());
    if (count >= kMaxUsers) {
      return core::fail(Code::resource_exhausted, "The limit of " + std::to_string(kMaxUsers) +
                                                      " users is reached. Delete a user first.");
    }
    PARLEY_TRY(const std::int64_t id, file_->insert(row));
    row.user.id = id;
    return {};
  });
  if (done) done = reload_user(row.user.id);
  if (!done) return core::fail(std::move(done.error()));
  return row.user;
}

Result<User> AccountStore::change(std::int64_t id, const UserChange& change) {
  const std::scoped_lock lock(file_mutex_);
  User now;
  Result<void> done = file_->transaction([&]() -> Result<void> {
    PARLEY_TRY(UserRow row, file_->user(id));
    const User before = row.user;
    Result<void> step = apply(change, row);
    row.user.updated_at = clock_.wall();
    now = row.user;
    if (step) step = file_->update(row);
    const bool same =
        !change.password_hash && now.status == before.status && now.admin == before.admin;
    if (step && !same) step = file_->remove_logins_of(id);
    return step;
  });
  if (done) done = reload_user(id);
  if (!done) return core::fail(std::move(done.error()));
  return now;
}

Result<void> AccountStore::remove(std::int64_t id) {
  const std::scoped_lock lock(file_mutex_);
  Result<void> done = file_->transaction([&]() -> Result<void> {
    PARLEY_TRY(UserRow row, file_->user(id));
    row.user.status = UserStatus::deleted;
    row.user.updated_at = clock_.wall();
    row.password_hash.clear();
    Result<void> step = file_->update(row);
    if (step) step = file_->remove_logins_of(id);
    return step;
  });
  if (done) done = reload_user(id);
  return done;
}

Result<IssuedLogin> AccountStore::log_in(std::int64_t user, std::string_view password_hash) {
  const std::scoped_lock lock(file_mutex_);
  IssuedLogin issued;
  issued.access_token = core::new_secret(kAccessPrefix, entropy_);
  issued.refresh_token = core::new_secret(kRefreshPrefix, entropy_);
  Result<void> done = file_->transaction([&]() -> Result<void> {
    Result<UserRow> row = file_->user(user);
    if (!row || row->password_hash != password_hash) return core::fail(over());
    if (row->user.status != UserStatus::active) {
      return core::fail(Code::permission_denied,
                        "This account is locked. Ask the administrator to unlock it.");
    }
    const core::WallTime now = clock_.wall();
    row->user.last_login_at = now;
    issued.user = row->user;
    Result<void> step = file_->update(*row);
    if (!step) return step;
    PARLEY_TRY(const std::vector<LoginRow> logins, file_->logins_of(user));
    std::size_t left = logins.size();
    for (const LoginRow& login : logins) {
      const bool ended = login.access_until <= now && login.refresh_until <= now;
      if (!ended && left < kMaxLoginsOfUser) continue;
      --left;
      if (step = file_->remove_login(login.id); !step) return step;
    }
    return file_->insert(LoginRow{0, user, core::secret_hash(issued.access_token),
                                  now + kAccessLife, core::secret_hash(issued.refresh_token),
                                  now + kRefreshLife});
  });
  if (done) done = reload_user(user);
  if (!done) return core::fail(std::move(done.error()));
  return issued;
}

// The login as stored in the file; memory only tells the user that the token belongs to.
Result<LoginRow> AccountStore::login_of(const core::StringMap<std::int64_t>& index,
                                        std::string_view hash, bool access) const {
  std::int64_t user = 0;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = index.find(hash);
    if (found == index.end()) return core::fail(over());
    user = found->second;
  }
  PARLEY_TRY(std::vector<LoginRow> logins, file_->logins_of(user));
  for (LoginRow& login : logins) {
    if ((access ? login.access_hash : login.refresh_hash) == hash) return std::move(login);
  }
  return core::fail(over());
}

Result<std::string> AccountStore::refresh(std::string_view refresh_token) {
  if (!refresh_token.starts_with(kRefreshPrefix)) return core::fail(over());
  const std::scoped_lock lock(file_mutex_);
  std::string access = core::new_secret(kAccessPrefix, entropy_);
  std::int64_t user = 0;
  Result<void> done = file_->transaction([&]() -> Result<void> {
    PARLEY_TRY(LoginRow login, login_of(by_refresh_, core::secret_hash(refresh_token), false));
    user = login.user_id;
    const core::WallTime now = clock_.wall();
    const Result<UserRow> row = file_->user(user);
    if (!row || row->user.status != UserStatus::active || login.refresh_until <= now) {
      return core::fail(over());
    }
    login.access_hash = core::secret_hash(access);
    login.access_until = now + kAccessLife;
    return file_->set_access(login);
  });
  if (done) done = reload_user(user);
  if (!done) return core::fail(std::move(done.error()));
  return access;
}

Result<void> AccountStore::log_out(std::string_view access_token) {
  const std::scoped_lock lock(file_mutex_);
  std::int64_t user = 0;
  Result<void> done = file_->transaction([&]() -> Result<void> {
    Result<LoginRow> login = login_of(by_access_, core::secret_hash(access_token), true);
    if (!login && login.error().code == Code::unauthenticated) return {};
    if (!login) return core::fail(std::move(login.error()));
    user = login->user_id;
    return file_->remove_login(login->id);
  });
  if (done && user != 0) done = reload_user(user);
  return done;
}

}  // namespace parley::accounts
