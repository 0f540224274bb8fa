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

namespace parley::comfyui {

// Failure of a workflow during its run.
struct ExecutionFault {
  std::string node_id;
  std::string node_type;
  std::string message;
  std::string exception_type;
  std::string traceback;  // its last lines, at most kMaxTracebackBytes
};

inline constexpr std::size_t kMaxTracebackBytes = 8U << 10U;

// `data` of execution_error, and of the same message in a history entry.
ExecutionFault read_execution_fault(const boost::json::object& data);

// The progress of one node in `progress_state`.
struct NodeProgress {
  std::string node_id;
  std::string state;  // "pending", "running", "finished", "error"
  double value = 0;
  double max = 0;
};

// One text message of the server's WebSocket.
struct ProgressEvent {
  enum class Kind : std::uint8_t {
    status,
    execution_start,
    execution_cached,
    executing,  // without a node: the run has ended
    progress,
    progress_state,
    executed,
    execution_success,
    execution_error,
    execution_interrupted,
  };
  Kind kind = Kind::status;
  std::string prompt_id;  // empty: none, or an older server that does not send it
  std::string node_id;
  std::string display_node;                     // the node of the workflow to highlight
  std::vector<std::string> cached;              // execution_cached
  double value = 0;                             // progress
  double max = 0;                               // progress
  std::vector<NodeProgress> nodes;              // progress_state
  std::optional<std::int64_t> queue_remaining;  // status
  std::optional<NodeOutput> output;             // executed
  std::optional<ExecutionFault> fault;          // execution_error
};

inline constexpr std::size_t kMaxEventNodes = 4'096;

// Reads one message. std::nullopt for an unknown type (`feature_flags`, those of extensions).
// Errors: `internal`: no JSON, no object, no type.
core::Result<std::optional<ProgressEvent>> read_progress_event(std::string_view text);

// Preview picture of a step, from a binary message: u32 event, u32 kind, both big-endian, then the
// bytes.
struct Preview {
  enum class Kind : std::uint8_t { jpeg, png };
  Kind kind = Kind::jpeg;
  std::string_view bytes;  // into the message
};

inline constexpr std::size_t kMaxPreviewBytes = 4U << 20U;

// std::nullopt for other binary events, an unknown kind, an empty picture and one larger than
// kMaxPreviewBytes.
std::optional<Preview> read_preview(std::string_view message);

}  // namespace parley::comfyui
