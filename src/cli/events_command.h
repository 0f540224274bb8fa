// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parley::app {

struct EventsOptions {
  // Files of NDJSON, http(s) URLs of a run's events, or - for stdin; together they are merged.
  std::vector<std::string> sources;
  bool check = false;       // findings worse than notes fail
  bool json = false;        // what it adds up to as JSON
  bool single_key = false;  // the events in the single-key form, one a line
  std::string token;        // for URLs; empty: PARLEY_TOKEN, then that of the running server
  std::string data;         // where the running server's file is; empty: as other commands find it
};

// `parley events`: reads the stream of runs, checks it and shows it, one line an event. Returns the
// exit code: 0; 1 if `check` is set and something is wrong, or a source cannot be read; 5 if a
// server cannot be reached.
int show_events(const EventsOptions& options);

}  // namespace parley::app
