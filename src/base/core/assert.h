// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parley::core {

// Writes the broken assertion to stderr and ends the process.
[[noreturn]] void end_for_broken_assertion(const char* condition, std::string_view what,
                                           const char* file, int line);

}  // namespace parley::core

// States an invariant of our own code, never of input; active in release builds too. `what`: the
// state that broke the invariant, as text; evaluated only if the assertion fails.
#define PARLEY_ASSERT(condition, what)                                                  \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      ::parley::core::end_for_broken_assertion(#condition, (what), __FILE__, __LINE__); \
    }                                                                                   \
  } while (false)
