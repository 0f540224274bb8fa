// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "core/find_part.h"

#include <cstring>

namespace parley::core {

// The C library searches for long parts with the two-way algorithm, which is linear.
std::size_t find_part(std::string_view text, std::string_view part, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (part.empty()) return from;
  const void* const found =
      ::memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace parley::core
