// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/core/clock.h"

namespace parley::app {

// Longest output of a called program, per stream; more is cut.
inline constexpr std::size_t kMaxCallOutput = 64U << 10U;

// The end of a program that a command has called.
struct ProgramCall {
  std::optional<int> exit_code;  // std::nullopt: it was not started, was killed, or took too long
  std::string out;
  std::string errors;
  std::string failure;  // a sentence without an exit code

  bool succeeded() const { return exit_code == 0; }
  // The first line that it said about a failure, visible; empty: nothing.
  std::string reason() const;
};

// Runs a program of PATH without a shell and with no input, and kills it after `patience`. It gets
// no variable that may hold a secret. Blocks; the thread must not be an event loop's.
ProgramCall call_program(const std::vector<std::string>& words, core::Millis patience);

}  // namespace parley::app
