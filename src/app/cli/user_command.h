// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/server/settings.h"

namespace parley::app {

// The subcommands of `parley user`. They change the data directory; a running server applies the
// changes within a second. `name` is an email, a username or an id. Each function returns its exit
// code.

struct UserOptions {
  std::string name;  // name of the user; for `add`: the email
  std::string username;
  std::string token;  // token whose workspace a new user shares; empty: a workspace of its own
  std::string role;   // "admin", "user"
  bool admin = false;
  bool password_stdin = false;  // reads the password from stdin's first line
  bool json = false;
};
int add_user(const Settings& settings, const UserOptions& options);
int list_users(const Settings& settings, const UserOptions& options);
int set_user_password(const Settings& settings, const UserOptions& options);
int lock_user(const Settings& settings, const UserOptions& options);
int unlock_user(const Settings& settings, const UserOptions& options);
int delete_user(const Settings& settings, const UserOptions& options);
int set_user_role(const Settings& settings, const UserOptions& options);

}  // namespace parley::app
