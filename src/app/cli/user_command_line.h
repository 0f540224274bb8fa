// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command_flags.h"
#include "app/cli/user_command.h"

namespace parley::app {

// `parley user` and its subcommands. Each subcommand sets `chosen` to its action when the command
// line has been read. The arguments must outlive this object, and it must outlive the action.
class UserCommandLine {
 public:
  UserCommandLine(Flags& flags, Chosen& chosen) : flags_(flags), chosen_(chosen) {}

  void add_to(CLI::App& app);

 private:
  using Command = int (*)(const Settings&, const UserOptions&);

  CLI::App& add(CLI::App& user, const char* name, const char* about, Command command);

  Flags& flags_;
  Chosen& chosen_;
  UserOptions options_;
};

}  // namespace parley::app
