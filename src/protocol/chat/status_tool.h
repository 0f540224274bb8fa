// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "runtime/tool/tool.h"

namespace parley::chat {

inline constexpr std::string_view kStatusTool = "status_update";

// A tool by which an agent tells the person where it stands: a message, a title and a phase. It
// does nothing but that: its calls are shown as STATUS_UPDATE.
tool::ToolPtr make_status_tool();

}  // namespace parley::chat
