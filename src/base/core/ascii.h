// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parley::core {

// Copy of the text with ASCII capital letters in lower case; all other bytes are unchanged.
inline std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// White space between words.
inline constexpr std::string_view kBlanks = " \t\r\n";

// The text without the characters of `blanks` at both ends.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = kBlanks) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// True if functions of the C library would see only a part of the text. A path, a program's
// argument or an address from outside is refused then.
inline bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

}  // namespace parley::core
