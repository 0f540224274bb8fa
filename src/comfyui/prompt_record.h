// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comfyui/output_file.h"
#include "comfyui/progress_event.h"
#include "core/result.h"

namespace parley::comfyui {

// A run that has ended, as the server's history has it.
struct PromptRecord {
  enum class Status : std::uint8_t { success, error, interrupted };
  std::string prompt_id;
  Status status = Status::success;
  std::vector<NodeOutput> outputs;      // in the order of the server
  std::optional<ExecutionFault> fault;  // of an error
  std::string stopped_at;               // node of an interruption
  boost::json::object prompt;           // the workflow, in API form
};

// Reads one entry of /history. Errors: `internal`.
core::Result<PromptRecord> read_prompt_record(std::string_view prompt_id,
                                              const boost::json::object& entry);

// One workflow of the queue.
struct QueueEntry {
  double number = 0;
  std::string prompt_id;
  std::string client_id;  // who asked for it; empty if nobody says
};

struct QueueState {
  std::vector<QueueEntry> running;
  std::vector<QueueEntry> pending;
};

// Entries of a queue beyond this many are left out.
inline constexpr std::size_t kMaxQueueEntries = 10'000;

// Reads the answer of GET /queue. Errors: `internal`.
core::Result<QueueState> read_queue(const boost::json::object& body);

}  // namespace parley::comfyui
