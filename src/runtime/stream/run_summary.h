// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/stream/event_parser.h"

namespace parley::runtime {

// What the frames of one run add up to. Texts are as they came: not fit for a terminal.
struct RunSummary {
  std::string id;  // empty: not told
  std::string agent;
  std::string message;
  std::uint64_t events = 0;
  std::optional<std::uint64_t> first_event;
  std::optional<std::uint64_t> last_event;
  std::optional<std::int64_t> began_at;  // milliseconds since the epoch, where frames tell times
  std::optional<std::int64_t> ended_at;
  bool whole = false;  // begins with its run_start
  std::uint64_t resumed = 0;
  std::uint64_t nodes = 0;  // that were entered
  std::uint64_t tools = 0;  // calls, without those of sub-agents
  std::uint64_t checkpoints = 0;
  std::uint64_t unknown = 0;      // events of types that are not known
  runtime::Usage usage;           // of it and its sub-agents
  std::uint64_t model_calls = 0;  // of these
  std::optional<Reply> reply;
};

struct SessionSummary {
  std::string id;  // empty: the frames named none
  std::vector<RunSummary> runs;
};

}  // namespace parley::runtime
