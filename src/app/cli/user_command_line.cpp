// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/user_command_line.h"

namespace parley::app {
namespace {

void add_name(CLI::App& app, UserOptions& options) {
  app.add_option("user", options.name, "Email, username or id")->required()->type_name("USER");
}

void add_password_flag(CLI::App& app, UserOptions& options) {
  app.add_flag("--password-stdin", options.password_stdin,
               "Read the password from the first line of stdin");
}

}  // namespace

CLI::App& UserCommandLine::add(CLI::App& user, const char* name, const char* about,
                               Command command) {
  CLI::App& app = add_data_command(
      user, name, about, flags_, chosen_,
      [this, command](const Settings& settings) { return command(settings, options_); });
  app.add_flag("--json", options_.json, "As JSON");
  return app;
}

void UserCommandLine::add_to(CLI::App& app) {
  CLI::App& user = add_group(
      app, "user",
      "Example:\n  parley user add alice@example.org --name Alice --admin\n\nThe users who log in "
      "to a chat front end with a password. A running server applies changes within a second.");
  CLI::App& fresh = add(user, "add", "Creates a user; asks for the password.", add_user);
  fresh.add_option("email", options_.name, "Email of the user")->required()->type_name("EMAIL");
  fresh.add_option("--name", options_.username, "Username")->required()->type_name("NAME");
  fresh.add_flag("--admin", options_.admin,
                 "Gives the role admin: all rights, and the administration of users");
  fresh
      .add_option("--token", options_.token,
                  "Share the workspace of this token: its inbox, chats and runs")
      ->type_name("NAME");
  add_password_flag(fresh, options_);
  add(user, "list", "Shows the users.", list_users);
  CLI::App& password =
      add(user, "password", "Sets a new password; ends the user's logins.", set_user_password);
  add_name(password, options_);
  add_password_flag(password, options_);
  add_name(add(user, "lock", "Locks a user: refuses logins, ends existing logins and running work.",
               lock_user),
           options_);
  add_name(add(user, "unlock", "Unlocks a user.", unlock_user), options_);
  add_name(add(user, "delete", "Deletes a user for good; its chats stay in the data directory.",
               delete_user),
           options_);
  CLI::App& role = add(user, "role", "Sets the role; ends the user's logins.", set_user_role);
  add_name(role, options_);
  role.add_option("role", options_.role, "Role: admin or user")
      ->required()
      ->check(CLI::IsMember({"admin", "user"}));
}

}  // namespace parley::app
