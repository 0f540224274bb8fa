// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "demo_model/step.h"
#include "runtime/model/model.h"

// Which of the offered tools a step calls, and with what.
namespace parley::demo_model {

// "TOOL {json}": the tool of that name. Else the program's own tool for the intent, else the first
// whose name says the same. Null: none fits.
const model::ToolSpec* tool_for(const Step& step, const std::vector<model::ToolSpec>& tools);

struct ToolPlan {
  std::vector<model::ToolCall> calls;  // without ids; several where a step has several files
  std::vector<std::string> missing;    // parameters that the request does not give
};

// The calls of a step: each required parameter has a value and each thing that the step names has a
// parameter, or `missing` names those without and there is no call. `before`: what the step before
// brought, for "write it to b.txt".
ToolPlan plan_calls(const Step& step, const model::ToolSpec& tool,
                    const std::optional<std::string>& before);

}  // namespace parley::demo_model
