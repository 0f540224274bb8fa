// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>

#include "runtime/tool/tool.h"

namespace parley::tool {

// The result of tools/call as text for a model: texts and embedded texts verbatim, other pieces by
// type and size, structured content if there is nothing else. Cut at kMaxMcpText.
ToolResult read_mcp_result(const boost::json::object& result);

inline constexpr std::size_t kMaxMcpText = 256U << 10U;

}  // namespace parley::tool
