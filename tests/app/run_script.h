// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/clock.h"
#include "runtime/model/testing/scripted_model.h"

namespace parley::tests {

// The kinds of agents.
inline constexpr const char* kKinds[] = {"react", "dup", "tot", "got", "agot"};

// What a model says that leads every kind of agent through work of the same sort: reasoning, text
// in pieces, shell commands and a file that is written, tasks side by side, a reply at the end.
// Each call of a tool adds a line of its own, its label, to the file `trace` of the working folder;
// the label stands in the call's arguments as well. Deterministic, whatever has happened before.
struct WorkScript {
  core::Millis delay{0};     // before each piece of a reply
  std::string slow = "0.2";  // seconds that the slow commands take

  model::Script script() const;
  // What is to be said to the agent.
  static constexpr const char* kMessage = "Do the work.";
};

// A command that adds `label` to the trace. A slow one starts others in the background meanwhile
// and adds their process ids to the file `pids`.
std::string traced_command(const std::string& label);
std::string slow_traced_command(const std::string& label, const std::string& seconds);

// The label in the arguments of a call, as JSON text; empty if there is none.
std::string label_of(const std::string& arguments);

}  // namespace parley::tests
