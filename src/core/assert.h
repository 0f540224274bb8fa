// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parley::core {

// Writes what is broken to stderr and ends the process.
[[noreturn]] void end_for_broken_assertion(const char* condition, std::string_view what,
                                           const char* file, int line);

}  // namespace parley::core

// States an invariant of our own code, never of input; also in release builds. `what`: the state
// that broke it, as text; made only if it did.
#define PARLEY_ASSERT(condition, what)                                                  \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      ::parley::core::end_for_broken_assertion(#condition, (what), __FILE__, __LINE__); \
    }                                                                                   \
  } while (false)
