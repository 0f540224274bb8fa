// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/stream/event_parser.h"

namespace parley::runtime {

// Summary of the frames of one run. Texts are raw: not safe for a terminal.
struct RunSummary {
  std::string id;  // empty: not given
  std::string agent;
  std::string message;
  std::uint64_t events = 0;
  std::optional<std::uint64_t> first_event;
  std::optional<std::uint64_t> last_event;
  std::optional<std::int64_t> began_at;  // milliseconds since the epoch, if frames have times
  std::optional<std::int64_t> ended_at;
  bool complete = false;  // true: the run_start was seen
  std::uint64_t resumed = 0;
  std::uint64_t nodes = 0;  // entered nodes
  std::uint64_t tools = 0;  // calls, without those of sub-agents
  std::uint64_t checkpoints = 0;
  std::uint64_t unknown = 0;      // events of unknown types
  runtime::Usage usage;           // of the run and its sub-agents
  std::uint64_t model_calls = 0;  // number of the model calls in `usage`
  std::optional<Reply> reply;
};

struct SessionSummary {
  std::string id;  // empty: the frames name none
  std::vector<RunSummary> runs;
};

}  // namespace parley::runtime
