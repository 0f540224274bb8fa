// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace parley::shell {

inline bool is_in(std::span<const std::string_view> table, std::string_view word) {
  return std::find(table.begin(), table.end(), word) != table.end();
}

// Takes the first word of a list whose words are separated by single blanks; not of an empty one.
inline std::string_view next_word(std::string_view& list) {
  const std::size_t end = std::min(list.find(' '), list.size());
  const std::string_view word = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return word;
}

inline bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    if (next_word(list) == word) return true;
  }
  return false;
}

}  // namespace parley::shell
