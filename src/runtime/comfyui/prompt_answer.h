// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/core/result.h"

namespace parley::comfyui {

// One fault of one node of a workflow.
struct NodeFault {
  std::string node_id;
  std::string class_type;
  std::string input;    // name of the input; empty if the fault concerns the node
  std::string type;     // "value_not_in_list", "required_input_missing", ...
  std::string message;  // "Value not in list"
  std::string details;  // "ckpt_name: 'x' not in ['a', 'b']"
};

// Reason why a workflow, or a part of it, is not queued.
struct PromptFaults {
  std::string type;  // "prompt_outputs_failed_validation", "prompt_no_outputs", ...
  std::string message;
  std::string details;
  std::vector<NodeFault> nodes;

  bool empty() const { return type.empty() && nodes.empty(); }
  // Text for people and models: one line per fault: node, input, type, message.
  std::string text() const;
};

// Limit of the node faults; further ones are dropped.
inline constexpr std::size_t kMaxNodeFaults = 256;

// A pending workflow. `partial` has the faults of outputs that will not run.
struct QueuedPrompt {
  std::string prompt_id;
  double number = 0;
  PromptFaults partial;
};

using PromptAnswer = std::variant<QueuedPrompt, PromptFaults>;

// Reads the answer to POST /prompt. Errors: `internal` (200 without a prompt_id, or a 400 without
// content).
core::Result<PromptAnswer> read_prompt_answer(int status, const boost::json::object& body);

}  // namespace parley::comfyui
