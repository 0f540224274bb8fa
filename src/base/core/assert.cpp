// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/assert.h"

#include <cstdio>
#include <cstdlib>

namespace parley::core {

void end_for_broken_assertion(const char* condition, std::string_view what, const char* file,
                              int line) {
  std::fprintf(stderr, "%s:%d: broken: %s: %.*s\n", file, line, condition,
               static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace parley::core
