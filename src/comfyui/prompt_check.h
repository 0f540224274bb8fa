// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "comfyui/prompt_answer.h"

namespace parley::comfyui {

// The schema of a node class (one entry of /object_info), or null if the server has none.
using SchemaLookup = std::function<const boost::json::object*(std::string_view class_name)>;

inline constexpr std::size_t kMaxPromptNodes = 10'000;

// The classes that a workflow in API form names, each once, sorted.
std::vector<std::string> classes_of(const boost::json::object& prompt);

// Finds what the server would refuse in a workflow, by the server's own rules and with its types of
// faults, as far as schemas tell: classes, outputs, required inputs, links and their types, ranges,
// choices. Only nodes that an output needs are looked at. Not seen here: what a class checks by
// itself (custom_validation_failed), such as the file of LoadImage. Beyond the server: every class
// that is missing is named, and a circle of links is a fault. The result is empty without faults.
PromptFaults check_prompt(const boost::json::object& prompt, const SchemaLookup& lookup);

}  // namespace parley::comfyui
