// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/core/clock.h"

namespace parley::setup {

// The reason why a program must not be run by agents or by setup, or empty: it is inside the
// project (which may change it), it belongs to a third user, or others may write to it or to a
// folder above it. `project` may be empty.
std::string distrust_of(const std::filesystem::path& program, const std::filesystem::path& project);

// Limit (parley setup): run of `claude mcp`. Reached: ended; the file is edited directly.
inline constexpr core::Millis kProgramWait{20'000};

// Runs a program in `folder`, with no input, and drops its output. True if it ends with status 0
// within kProgramWait; it is killed after that. The thread must not be an event loop's.
bool run_quietly(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                 const std::filesystem::path& folder);

}  // namespace parley::setup
