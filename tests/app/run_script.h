// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/core/clock.h"
#include "tests/support/scripted_model/scripted_model.h"

namespace parley::tests {

// The kinds of agents.
inline constexpr const char* kKinds[] = {"react", "dup", "tot", "got", "agot"};

// Script of a model that leads every kind of agent through the same kinds of work: reasoning, text
// in pieces, shell commands and a written file, parallel tasks, a reply at the end. Each call of a
// tool appends its label as a line to the file `trace` of the working folder; the call's arguments
// contain the label as well. Deterministic, also after a resumption.
struct WorkScript {
  core::Millis delay{0};     // before each piece of a reply
  std::string slow = "0.2";  // duration of the slow commands, in seconds

  model::Script script() const;
  // The message to the agent.
  static constexpr const char* kMessage = "Do the work.";
};

// A command that appends `label` to the trace. A slow one also starts others in the background and
// appends their process ids to the file `pids`.
std::string traced_command(const std::string& label);
std::string slow_traced_command(const std::string& label, const std::string& seconds);

// The label in the arguments of a call, as JSON text; empty: none.
std::string label_of(const std::string& arguments);

}  // namespace parley::tests
