// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace parley::core {

// Appends to a text whose final size is `end` bytes. The capacity doubles, but not beyond `end`, so
// that many texts that are never completed do not hold twice the bytes that arrived.
inline void append_within(std::string& text, std::string_view bytes, std::size_t end) {
  const std::size_t size = text.size() + bytes.size();
  if (size > text.capacity()) {
    // reserve() of a text that has room makes at least twice that room.
    std::string grown;
    grown.reserve(std::max(size, std::min(2 * text.capacity(), end)));
    grown.append(text);
    text.swap(grown);
  }
  text.append(bytes);
}

}  // namespace parley::core
