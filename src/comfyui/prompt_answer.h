// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.h"

namespace parley::comfyui {

// One thing that is wrong with one node of a workflow.
struct NodeFault {
  std::string node_id;
  std::string class_type;
  std::string input;    // its name; empty when the fault is of the node
  std::string type;     // "value_not_in_list", "required_input_missing", ...
  std::string message;  // "Value not in list"
  std::string details;  // "ckpt_name: 'x' not in ['a', 'b']"
};

// Why a workflow is not queued, or not all of it.
struct PromptFaults {
  std::string type;  // "prompt_outputs_failed_validation", "prompt_no_outputs", ...
  std::string message;
  std::string details;
  std::vector<NodeFault> nodes;

  bool empty() const { return type.empty() && nodes.empty(); }
  // For a person and for a model: one line a fault: node, input, type, message.
  std::string text() const;
};

// Faults beyond this many are left out.
inline constexpr std::size_t kMaxNodeFaults = 256;

// A workflow that waits in the queue. `partial` has the faults of outputs that were left out.
struct QueuedPrompt {
  std::string prompt_id;
  double number = 0;
  PromptFaults partial;
};

using PromptAnswer = std::variant<QueuedPrompt, PromptFaults>;

// Reads the answer to POST /prompt. Errors: `internal` (200 without a prompt_id, or a 400 that says
// nothing).
core::Result<PromptAnswer> read_prompt_answer(int status, const boost::json::object& body);

}  // namespace parley::comfyui
