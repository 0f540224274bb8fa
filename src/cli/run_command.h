// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/run_printer.h"
#include "server/settings.h"

namespace parley::app {

struct RunCommandOptions {
  std::vector<std::string> message;  // words, joined by blanks; "-" alone reads stdin
  std::string agent;                 // empty: react
  std::string model;
  std::string session;
  std::string resume;  // a run that is gone on with; then there is no message
  std::string working_folder;
  std::string approve;     // "auto", "ask", "deny"; empty: the policies of the tools
  std::string mcp_config;  // in place of the server's own; only for a server of this command
  RunForm form = RunForm::readable;
  std::string file;        // to which the stream goes, in the single-key form if `form` says so
  bool append = false;     // `file` may be there
  bool timestamp = false;  // frames and lines say when they were
  bool values = false;
  bool dry = false;
  bool interactive = false;  // reads line after line, all of one session
};

// Runs an agent and shows it: in the server of this data directory if one runs, else in one that
// lives as long as the command. Exit codes: 0 a reply, 1 the run failed, 2 it could not begin, 4 it
// was cancelled, 5 the server was lost; of several runs that of the last.
int run_agent(const Settings& settings, const RunCommandOptions& options);

}  // namespace parley::app
