// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parley::app {

struct EventsOptions {
  // Files of NDJSON, http(s) URLs of a run's events, or - for stdin; several are merged.
  std::vector<std::string> sources;
  bool check = false;       // true: findings worse than notes fail the command
  bool json = false;        // prints the summary as JSON
  bool single_key = false;  // prints the events in the single-key form, one per line
  std::string token;        // for URLs; empty: PARLEY_TOKEN, else the token of the running server
  std::string data;         // data directory of the running server; empty: as the settings say
};

// `parley events`: reads the event streams of runs, checks them and prints one line per event.
// Exit codes: 0; 1 a source cannot be read, or `check` found a fault; 5 a server cannot be
// reached.
int show_events(const EventsOptions& options);

}  // namespace parley::app
