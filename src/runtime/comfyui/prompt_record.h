// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "runtime/comfyui/output_file.h"
#include "runtime/comfyui/progress_event.h"

namespace parley::comfyui {

// A run that has ended, from the server's history.
struct PromptRecord {
  // `unknown`: an older server, whose history does not tell how a run ended.
  enum class Status : std::uint8_t { success, error, interrupted, unknown };
  std::string prompt_id;
  Status status = Status::unknown;
  std::vector<NodeOutput> outputs;      // in the server's order
  std::optional<ExecutionFault> fault;  // if Status::error
  std::string stopped_at;               // node at which it was interrupted
  boost::json::object prompt;           // the workflow, in API form
};

// Reads one entry of /history. Errors: `internal`.
core::Result<PromptRecord> read_prompt_record(std::string_view prompt_id,
                                              const boost::json::object& entry);

// One workflow of the queue.
struct QueueEntry {
  double number = 0;
  std::string prompt_id;
  std::string client_id;  // client that queued it; empty if not known
};

struct QueueState {
  std::vector<QueueEntry> running;
  std::vector<QueueEntry> pending;
};

// Limit of the entries of a queue; further ones are dropped.
inline constexpr std::size_t kMaxQueueEntries = 10'000;

// Reads the answer of GET /queue. Errors: `internal`.
core::Result<QueueState> read_queue(const boost::json::object& body);

}  // namespace parley::comfyui
