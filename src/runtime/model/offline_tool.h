// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/model/model.h"
#include "runtime/model/offline_request.h"

// Which of the offered tools a step calls, and with what.
namespace parley::model::offline {

// The tool for a step: one that the request names, one whose name says what the intent wants, or
// the one whose name and description share most with the request. Null: none fits.
const ToolSpec* tool_for(const Step& step, const std::vector<ToolSpec>& tools);

// What the step before brought, for "write it to b.txt".
struct Before {
  std::optional<std::string> result;
};

struct ToolPlan {
  std::vector<ToolCall> calls;       // without ids; several where a step has several files
  std::vector<std::string> missing;  // required parameters that the request does not give
};

// The calls of a step. All required parameters are there, or `missing` names what is not and there
// is no call.
ToolPlan plan_calls(const Step& step, const ToolSpec& tool, const std::vector<ToolSpec>& tools,
                    const Before& before);

}  // namespace parley::model::offline
