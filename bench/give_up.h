// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace parley::bench {

// Ends this program with "PROGRAM: WHY" on standard error.
[[noreturn]] inline void give_up(const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, why.c_str());
  std::exit(1);
}

// The same after a failed call that has set errno: "WHAT: " and the text of errno.
[[noreturn]] inline void give_up_on(const char* what) {
  std::perror(what);
  std::exit(1);
}

}  // namespace parley::bench
