// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/comfyui/node_catalog.h"

namespace parley::fake_comfyui {

// The answer of a server's validate_prompt() to a workflow.
struct Verdict {
  bool valid = false;
  boost::json::object error;         // if not `valid`: {type, message, details, extra_info}
  std::vector<std::string> outputs;  // the valid ones, which will run
  boost::json::object node_errors;   // {id: {errors, dependent_outputs, class_type}}
};

// Checks a workflow as a server does before queueing: from each output backwards, each node once.
// `has_input`: true if LoadImage would find the file.
Verdict validate_prompt(const boost::json::object& prompt, const NodeCatalog& catalog,
                        const std::function<bool(std::string_view name)>& has_input);

}  // namespace parley::fake_comfyui
