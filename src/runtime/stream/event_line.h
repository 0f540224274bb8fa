// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runtime/stream/run_event.h"

namespace parley::runtime {

// One event as one line for people, in the list of `parley events` and in the notes of `parley
// run`.
struct EventLine {
  int level = 0;             // nesting: 0 the run, 1 its nodes, 2 within a node, 3 within a tool
  std::string text = {};     // raw content of any length; not safe for a terminal
  std::string call_id = {};  // empty: the event names no call
  bool failed = false;
};

// Level of a sub-agent's run: within a tool.
inline constexpr int kSubAgentLevel = 3;

EventLine event_line(const RunEvent& event);

}  // namespace parley::runtime
