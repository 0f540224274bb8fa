// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace parley::setup {

// The command line of `parley setup`.
struct SetupOptions {
  std::vector<std::string> agents;  // words of agent_table()
  bool all = false;                 // those that are detected
  bool remove = false;
  bool show = false;
  std::optional<std::string> project;  // empty: the working directory
  bool shared = false;                 // the project's committed files
  bool mcp_only = false;
  bool hooks_only = false;
  bool dry_run = false;
  std::string gate;         // names of tools, separated by commas
  std::string stop;         // "off", "notify", "ask"; empty: the hook's default
  std::string questions;    // "on", "off", "pre"; empty: the hook's default
  std::string when_nobody;  // "ask", "pass"; empty: the hook's default for the agent
  std::string somebody;     // "any", "page"; empty: the hook's default
  bool foreground = false;
  bool trust = false;  // the agent's own rule by which Parley's tools need no permission
  bool force = false;
  bool json = false;
};

// The exit codes of `parley setup`; the highest of several agents counts.
enum SetupStatus : int {
  kSetupDone = 0,
  kSetupFailed = 1,  // a file could not be read or written
  kSetupUsage = 2,
  kSetupRefused = 3,  // the manual step was printed
};

}  // namespace parley::setup
