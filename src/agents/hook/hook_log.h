// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace parley::hook {

inline constexpr std::size_t kMaxLogBytes = 1U << 20U;

// Appends a line to the log of the hooks (mode 0600). A full log is kept as FILE.1, in place of an
// older one. Failures are ignored: a hook has nobody to tell. Must not get input of tools or
// tokens.
void log_line(const std::filesystem::path& file, std::string_view line);

}  // namespace parley::hook
