// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "comfyui/fake/node_catalog.h"

namespace parley::fake_comfyui {

// The answer of a server's validate_prompt() to a workflow.
struct Verdict {
  bool valid = false;
  boost::json::object error;         // with `valid` false: {type, message, details, extra_info}
  std::vector<std::string> outputs;  // the good ones, which will run
  boost::json::object node_errors;   // {id: {errors, dependent_outputs, class_type}}
};

// Checks a workflow as a server does before it queues it: from each output backwards, each node
// once. `has_input`: whether LoadImage would find a file.
Verdict validate_prompt(const boost::json::object& prompt, const NodeCatalog& catalog,
                        const std::function<bool(std::string_view name)>& has_input);

}  // namespace parley::fake_comfyui
