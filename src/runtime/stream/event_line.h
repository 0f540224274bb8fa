// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runtime/stream/run_event.h"

namespace parley::runtime {

// One event in one line for people: in the list of `parley events` and in what `parley run` notes.
struct EventLine {
  int level = 0;          // of nesting: 0 the run, 1 its nodes, 2 within a node, 3 within a tool
  std::string text = {};  // what matters of it, as it came: of any length, not fit for a terminal
  std::string call_id = {};  // of a call; empty: none is told
  bool failed = false;
};

// The level that the run of a sub-agent begins at: within a tool.
inline constexpr int kSubAgentLevel = 3;

EventLine event_line(const RunEvent& event);

}  // namespace parley::runtime
