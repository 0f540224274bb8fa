// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::core {

// The value of a hexadecimal digit of either case; -1 for every other character.
constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Two digits a byte, in lower case.
inline std::string hex_text(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out.push_back(kDigits[byte >> 4U]);
    out.push_back(kDigits[byte & 15U]);
  }
  return out;
}

// The first `bytes` bytes of a digest as digits; `bytes` must not exceed the size of `digest`.
template <typename Digest>
std::string hex_of_digest(const Digest& digest, std::size_t bytes) {
  return hex_text({reinterpret_cast<const char*>(digest.data()), bytes});
}

}  // namespace parley::core
