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

// A key by its code in the X server, and true for Shift held with it.
struct KeyStroke {
  std::uint8_t code = 0;
  bool shift = false;

  bool operator==(const KeyStroke&) const = default;
};

// The meaning of the keys of an X server: keysyms by key and column, in the order of the core
// protocol. Columns 0 and 1 are the first group without and with Shift, 2 and 3 the second.
class KeyMap {
 public:
  KeyMap(std::uint8_t first, std::size_t columns, std::vector<std::uint32_t> keysyms)
      : first_(first), columns_(columns), keysyms_(std::move(keysyms)) {}

  // The key with this keysym in a group of the layout.
  std::optional<KeyStroke> find(std::uint32_t keysym, unsigned group) const;
  // Keys without a meaning: a keysym can be mapped to them for a while.
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

// The keysym of a character: its code for Latin-1, a value derived from its code point for others
// (X protocol, appendix A).
std::uint32_t keysym_of(char32_t character);
inline constexpr std::uint32_t kReturnKeysym = 0xFF0D;
inline constexpr std::uint32_t kTabKeysym = 0xFF09;

// The characters of a UTF-8 text.
std::vector<char32_t> characters_of(std::string_view text);

}  // namespace parley::typing
