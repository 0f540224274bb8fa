// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parley::app {

// Reads the command line, runs the subcommand and returns its exit code (exit_code.h). Under the
// program name agentassistant-srv the subcommand is `serve`.
int run_parley(int argc, char** argv);

}  // namespace parley::app
