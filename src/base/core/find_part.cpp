// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/find_part.h"

#include <cstring>

namespace parley::core {
namespace {

// A comparison at each position costs at most this many bytes per byte of the text.
constexpr std::size_t kShortPartBytes = 64;

}  // namespace

// The C library searches for long parts with the two-way algorithm, which is linear. With a
// sanitizer each call of memmem() checks the whole text: parts that may occur a million times,
// which are short, are searched without it.
std::size_t find_part(std::string_view text, std::string_view part, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (part.size() <= kShortPartBytes) return text.find(part, from);
  const void* const found =
      ::memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace parley::core
