// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/user_command.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "app/cli/password_prompt.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/entropy.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "base/core/time_text.h"
#include "identity/accounts/account_store.h"
#include "identity/accounts/password.h"
#include "identity/auth/token_store.h"

namespace parley::app {
namespace {

using accounts::User;
using accounts::UserChange;
using accounts::UserStatus;
using core::Result;

// The users of a data directory, opened for one command.
struct OpenAccounts {
  core::SystemClock clock;
  core::SystemEntropy entropy;
  auth::TokenWatchers watchers;
  std::unique_ptr<accounts::AccountStore> store;

  bool open(const Settings& settings) {
    auto opened = accounts::AccountStore::open(settings.stores(), clock, entropy, watchers);
    if (!opened) {
      complain({"The users in " + settings.stores().name() + " cannot be opened.",
                opened.error().message,
                "Name the server's data directory with --data or PARLEY_DATA."});
      return false;
    }
    store = std::move(*opened);
    return true;
  }

  Result<User> find(const std::string& name) const {
    if (auto found = store->find(name)) return found->user;
    for (User& user : store->users()) {
      if (std::to_string(user.id) == name) return std::move(user);
    }
    return core::fail(core::Code::not_found, "There is no such user.");
  }
};

std::string role_of(const User& user) { return user.admin ? "ADMIN" : "USER"; }

void write_user_object(core::JsonWriter& json, const User& user) {
  json.begin_object().key("id").string(std::to_string(user.id));
  json.key("email").string(user.email).key("username").string(user.username);
  json.key("status").string(accounts::status_name(user.status)).key("role").string(role_of(user));
  json.key("workspace").string(user.workspace).key("shares_token").boolean(user.shared);
  json.key("created_at").string(core::time_text(user.created_at)).key("last_login_at");
  user.last_login_at ? json.string(core::time_text(*user.last_login_at)) : json.null();
  json.end_object();
}

std::string users_as_json(const std::vector<User>& users) {
  std::string out;
  core::JsonWriter json(out);
  json.array(users, write_user_object);
  return out + "\n";
}

std::string users_as_table(const std::vector<User>& users) {
  const std::vector<std::string> head = {"ID", "EMAIL", "NAME", "STATUS", "ROLE", "LAST LOGIN"};
  std::vector<std::vector<std::string>> rows = {head};
  for (const User& user : users) {
    rows.push_back({std::to_string(user.id), user.email, user.username,
                    std::string(accounts::status_name(user.status)), role_of(user),
                    user.last_login_at ? core::time_text(*user.last_login_at) : "never"});
  }
  std::vector<std::size_t> widths(head.size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      out += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    }
    out += row.back() + "\n";
  }
  return out;
}

int user_failure(const std::string& what, const core::Error& error, const std::string& next) {
  complain({what, error.message, next});
  return error.code == core::Code::invalid_argument ? kExitUsage : kExitFailure;
}

// Asks for a password and returns its hash.
Result<std::string> new_password_hash(const UserOptions& options) {
  const Result<std::string> password =
      options.password_stdin ? read_password_line() : ask_new_password();
  if (!password) return core::fail(password.error());
  PARLEY_TRY_VOID(accounts::check_password(*password));
  return accounts::hash_password(*password);
}

// The workspace of a valid token.
Result<std::string> workspace_of_token(const Settings& settings, OpenAccounts& accounts,
                                       const std::string& name) {
  PARLEY_TRY(auto tokens,
             auth::TokenStore::open(settings.stores(), accounts.clock, accounts.entropy));
  PARLEY_TRY(const auto list, tokens->list());
  const core::WallTime now = accounts.clock.wall();
  for (const auth::TokenInfo& token : list) {
    const auto& expires = token.identity.expires_at;
    const bool valid = !token.revoked_at && (!expires || now < *expires);
    if (valid && token.identity.name == name) return token.identity.workspace;
  }
  return core::fail(core::Code::not_found, "No valid token has this name.");
}

int tell_user(const User& user, const std::string& done, bool json) {
  std::string out;
  if (json) {
    core::JsonWriter writer(out);
    write_user_object(writer, user);
    return print(out + "\n") ? kExitOk : kExitFailure;
  }
  return print_text(done + " " + user.email + "\n") ? kExitOk : kExitFailure;
}

int change_user(const Settings& settings, const UserOptions& options, const UserChange& change,
                const std::string& done) {
  OpenAccounts accounts;
  if (!accounts.open(settings)) return kExitDataBroken;
  const Result<User> user = accounts.find(options.name);
  const Result<User> changed =
      user ? accounts.store->change(user->id, change) : Result<User>(core::fail(user.error()));
  if (!changed) {
    return user_failure("The user \"" + options.name + "\" was not changed.", changed.error(),
                        "`parley user list` shows emails, names and ids.");
  }
  return tell_user(*changed, done, options.json);
}

}  // namespace

int add_user(const Settings& settings, const UserOptions& options) {
  const std::string what = "The user \"" + options.name + "\" was not created.";
  const std::string example = "For example: parley user add alice@example.org --name Alice --admin";
  for (const Result<void>& checked :
       {accounts::check_email(options.name), accounts::check_username(options.username)}) {
    if (!checked) return user_failure(what, checked.error(), example);
  }
  OpenAccounts accounts;
  if (!accounts.open(settings)) return kExitDataBroken;
  accounts::NewUser wanted{options.name, options.username, {}, options.admin};
  if (!options.token.empty()) {
    Result<std::string> workspace = workspace_of_token(settings, accounts, options.token);
    if (!workspace) {
      return user_failure("The token \"" + options.token + "\" cannot be shared.",
                          workspace.error(), "`parley token list` shows the names.");
    }
    wanted.workspace = std::move(*workspace);
  }
  Result<std::string> hash = new_password_hash(options);
  if (!hash) return user_failure(what, hash.error(), example);
  wanted.password_hash = std::move(*hash);
  const Result<User> created = accounts.store->create(wanted);
  if (!created) {
    return user_failure(what, created.error(),
                        "`parley user list` shows the emails and usernames that are taken.");
  }
  return tell_user(*created, "added", options.json);
}

int list_users(const Settings& settings, const UserOptions& options) {
  OpenAccounts accounts;
  if (!accounts.open(settings)) return kExitDataBroken;
  const std::vector<User> users = accounts.store->users();
  const bool written =
      options.json ? print(users_as_json(users)) : print_text(users_as_table(users));
  return written ? kExitOk : kExitFailure;
}

int set_user_password(const Settings& settings, const UserOptions& options) {
  Result<std::string> hash = new_password_hash(options);
  if (!hash) {
    return user_failure("The password of \"" + options.name + "\" was not changed.", hash.error(),
                        "For example: parley user password alice@example.org");
  }
  UserChange change;
  change.password_hash = std::move(*hash);
  return change_user(settings, options, change, "changed the password and ended the logins of");
}

int lock_user(const Settings& settings, const UserOptions& options) {
  UserChange change;
  change.status = UserStatus::locked;
  return change_user(settings, options, change, "locked");
}

int unlock_user(const Settings& settings, const UserOptions& options) {
  UserChange change;
  change.status = UserStatus::active;
  return change_user(settings, options, change, "unlocked");
}

int set_user_role(const Settings& settings, const UserOptions& options) {
  UserChange change;
  change.admin = options.role == "admin";
  return change_user(settings, options, change,
                     "set the role " + options.role + " and ended the logins of");
}

int delete_user(const Settings& settings, const UserOptions& options) {
  OpenAccounts accounts;
  if (!accounts.open(settings)) return kExitDataBroken;
  Result<User> user = accounts.find(options.name);
  const Result<void> removed =
      user ? accounts.store->remove(user->id) : Result<void>(core::fail(user.error()));
  if (!removed) {
    return user_failure("The user \"" + options.name + "\" was not deleted.", removed.error(),
                        "`parley user list` shows emails, names and ids.");
  }
  user->status = UserStatus::deleted;
  return tell_user(*user, "deleted", options.json);
}

}  // namespace parley::app
