// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agents/setup/setup_options.h"
#include "app/cli/command_flags.h"

namespace parley::app {

// `parley setup`. Sets `chosen` to its action when the command line has been read. `chosen` must
// outlive this object, and this object must outlive the action.
class SetupCommandLine {
 public:
  explicit SetupCommandLine(Chosen& chosen) : chosen_(chosen) {}

  void add_to(CLI::App& app);

 private:
  void add_options(CLI::App& app);
  int run();
  // Says who is there to be asked; at a terminal, offers a test prompt after a set-up.
  void tell_presence(const std::string& data, int status) const;

  Chosen& chosen_;
  setup::SetupOptions options_;
  std::string project_;
  bool yes_ = false;
};

}  // namespace parley::app
