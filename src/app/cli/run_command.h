// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/cli/run_printer.h"
#include "app/server/settings.h"

namespace parley::app {

struct RunCommandOptions {
  std::vector<std::string> message;  // words, joined by blanks; "-" alone reads stdin
  std::string agent;                 // empty: react
  std::string model;
  std::string session;
  std::string resume;  // id of a run to resume; then there is no message
  std::string working_folder;
  std::string approve;     // "auto", "ask", "deny"; empty: the tools' own policies
  std::string mcp_config;  // replaces the server's setting; only for a server started here
  RunForm form = RunForm::readable;
  std::string file;        // receives the stream, in the single-key form if `form` says so
  bool append = false;     // continues an existing `file`
  bool timestamp = false;  // frames and lines include their time
  bool values = false;
  bool dry = false;
  bool interactive = false;  // each line of stdin starts a run, all in one session
};

// Runs an agent and shows the run. The server is that of this data directory or, if none is
// running, one started for the duration of the command. Exit codes: 0 a reply, 1 the run failed, 2
// it could not begin, 4 it was cancelled, 5 the server was lost or cannot be reached; after several
// runs the code of the last one.
int run_agent(const Settings& settings, const RunCommandOptions& options);

}  // namespace parley::app
