// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runtime/model/model.h"

namespace parley::loom {

// A tool as YAML: name, description, input_schema.
std::string tool_yaml(const model::ToolSpec& spec);

}  // namespace parley::loom
