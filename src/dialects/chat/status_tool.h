// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "runtime/tool/tool.h"

namespace parley::chat {

inline constexpr std::string_view kStatusTool = "status_update";

// A tool with which an agent reports its progress to the person: a message, a title and a phase.
// Its only effect is that its calls are sent as STATUS_UPDATE.
tool::ToolPtr make_status_tool();

}  // namespace parley::chat
