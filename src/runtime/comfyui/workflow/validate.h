// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/core/result.h"
#include "runtime/comfyui/workflow/node_schema.h"
#include "runtime/comfyui/workflow/workflow.h"

namespace parley::comfyui {

inline constexpr std::size_t kMaxFindings = 200;

// One fault for which ComfyUI would refuse the workflow, or leave out the outputs that need the
// node.
struct Finding {
  std::string type;  // ComfyUI's name: required_input_missing, value_not_in_list, ...
  std::string node;  // "" if it concerns the whole workflow
  std::string node_class;
  std::string input;  // "" if it concerns the whole node
  std::string message;
};

struct Validation {
  std::vector<Finding> findings;
  // Output nodes that need no faulty node. If there are any, the server runs them and leaves out
  // the others.
  std::vector<std::string> good_outputs;
};

// Predicts the faults that POST /prompt would report: missing_node_type, prompt_no_outputs,
// dependency_cycle, required_input_missing, bad_linked_input, return_type_mismatch,
// invalid_input_type, value_smaller_than_min, value_bigger_than_max, value_not_in_list. As on the
// server, only nodes that an output node needs are checked. Checks in a class's own code remain
// with the server. A workflow in UI form is converted first; the error is that of to_api(). At most
// kMaxFindings; an empty list: no fault.
core::Result<Validation> validate(const Workflow& workflow, const NodeSchemas& schemas);

}  // namespace parley::comfyui
