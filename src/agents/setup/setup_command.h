// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "agents/setup/agent_table.h"
#include "agents/setup/config_file.h"
#include "agents/setup/setup_options.h"
#include "base/core/clock.h"
#include "base/core/result.h"

namespace parley::setup {

// The places of this user: the home directory from the user database, the program that runs.
// Errors: `not_found`.
core::Result<SetupPlaces> places_of_this_process();

struct SetupOutcome {
  int status = kSetupDone;
  std::string out;    // for stdout
  std::string error;  // of the command line; empty: none
};

// `parley setup`. Blocks on files, on the lock, and on the program of Claude Code.
SetupOutcome run_setup(const SetupOptions& options, const SetupPlaces& places,
                       const core::Clock& clock, const BeforeRename& before_rename = {});

}  // namespace parley::setup
