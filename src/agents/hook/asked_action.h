// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agents/hook/hook_event.h"

namespace parley::hook {

// The longest action as JSON, in bytes: it travels in a header.
inline constexpr std::size_t kMaxActionBytes = 4'096;

// The action that a permission request asks for, as a JSON object (docs/protocol-assistant.md), so
// that the server finds what was decided for the like: a shell command or the use of a file.
// Empty: it is neither, or too long.
std::string asked_action(const HookEvent& event);

}  // namespace parley::hook
