// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parley::app {

// `parley`: reads the command line, runs the subcommand, returns the exit code (exit_code.h).
int run_parley(int argc, char** argv);

// `agentassistant-srv`: the same as `parley serve`, under the name of the protocol's text.
int run_server_program(int argc, char** argv);

}  // namespace parley::app
