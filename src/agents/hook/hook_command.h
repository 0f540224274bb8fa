// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parley::hook {

// `parley hook`, with the arguments behind the word "hook": docs/hooks.md. Reads stdin, writes
// stdout; never writes to stderr. Returns 0, whatever happens, but with --explain.
int run_hook(const std::vector<std::string>& arguments);

}  // namespace parley::hook
