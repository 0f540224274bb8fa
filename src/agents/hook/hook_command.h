// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace parley::hook {

// Limit (parley hook): the hook's log, kept twice. Reached: the older half is dropped.
inline constexpr std::size_t kMaxLogBytes = 1U << 20U;

// Appends a line to the log of the hooks (mode 0600). A full log is kept as FILE.1, in place of an
// older one. Failures are ignored: a hook has nobody to tell. Must not get input of tools or
// tokens.
void log_line(const std::filesystem::path& file, std::string_view line);

// `parley hook`, with the arguments behind the word "hook": docs/hooks.md. Reads stdin, writes
// stdout; never writes to stderr. Returns 0, whatever happens, but with --explain.
int run_hook(const std::vector<std::string>& arguments);

}  // namespace parley::hook
