// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/typing/key_map.h"

namespace parley::typing {
namespace {

constexpr unsigned kGroups = 2;  // in the core protocol
constexpr std::uint32_t kUnicodeKeysym = 0x01000000;

}  // namespace

std::optional<KeyStroke> KeyMap::find(std::uint32_t keysym, unsigned group) const {
  if (group >= kGroups) return std::nullopt;
  const std::size_t plain = std::size_t{2} * group;
  for (std::size_t key = 0; key < size(); ++key) {
    const auto code = static_cast<std::uint8_t>(first_ + key);
    if (at(key, plain) == keysym) return KeyStroke{code, false};
    if (at(key, plain + 1) == keysym) return KeyStroke{code, true};
  }
  return std::nullopt;
}

std::vector<std::uint8_t> KeyMap::free_codes() const {
  std::vector<std::uint8_t> out;
  for (std::size_t key = 0; key < size(); ++key) {
    bool means_nothing = true;
    for (std::size_t column = 0; column < columns_; ++column) {
      means_nothing = means_nothing && at(key, column) == 0;
    }
    if (means_nothing) out.push_back(static_cast<std::uint8_t>(first_ + key));
  }
  return out;
}

std::uint32_t keysym_of(char32_t character) {
  const bool latin_1 = character < 0x100;
  return latin_1 ? character : kUnicodeKeysym | character;
}

std::vector<char32_t> characters_of(std::string_view text) {
  std::vector<char32_t> out;
  for (const char byte : text) {
    const auto bits = static_cast<unsigned char>(byte);
    if (bits < 0x80U) {
      out.push_back(bits);
    } else if (bits >= 0xF0U) {
      out.push_back(bits & 0x07U);
    } else if (bits >= 0xE0U) {
      out.push_back(bits & 0x0FU);
    } else if (bits >= 0xC0U) {
      out.push_back(bits & 0x1FU);
    } else {
      out.back() = (out.back() << 6U) | (bits & 0x3FU);
    }
  }
  return out;
}

}  // namespace parley::typing
