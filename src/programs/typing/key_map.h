// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace parley::typing {

// A key as the X server counts them, and whether Shift is held with it.
struct KeyStroke {
  std::uint8_t code = 0;
  bool shift = false;

  bool operator==(const KeyStroke&) const = default;
};

// What the keys of an X server mean: keysyms by key and column, as the core protocol lists them.
// Columns 0 and 1 are the first group without and with Shift, 2 and 3 the second.
class KeyMap {
 public:
  KeyMap(std::uint8_t first, std::size_t columns, std::vector<std::uint32_t> keysyms)
      : first_(first), columns_(columns), keysyms_(std::move(keysyms)) {}

  // The key that gives this keysym in a group of the layout.
  std::optional<KeyStroke> find(std::uint32_t keysym, unsigned group) const;
  // Keys that mean nothing: they can be given a meaning for a while.
  std::vector<std::uint8_t> free_codes() const;
  std::size_t columns() const { return columns_; }

 private:
  std::uint32_t at(std::size_t key, std::size_t column) const {
    return column < columns_ ? keysyms_[key * columns_ + column] : 0;
  }
  std::size_t size() const { return columns_ == 0 ? 0 : keysyms_.size() / columns_; }

  std::uint8_t first_;
  std::size_t columns_;
  std::vector<std::uint32_t> keysyms_;
};

// The keysym of a character: Latin-1 stands for itself, others by their code point (X protocol,
// appendix A).
std::uint32_t keysym_of(char32_t character);
inline constexpr std::uint32_t kReturnKeysym = 0xFF0D;
inline constexpr std::uint32_t kTabKeysym = 0xFF09;

// The characters of a text, which is UTF-8.
std::vector<char32_t> characters_of(std::string_view text);

}  // namespace parley::typing
