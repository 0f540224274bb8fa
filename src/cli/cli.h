// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parley::app {

// Reads the command line, runs the subcommand, returns the exit code (exit_code.h). Called by the
// name agentassistant-srv, the program is `parley serve`.
int run_parley(int argc, char** argv);

}  // namespace parley::app
