// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/danger_mark.h"

#include <algorithm>
#include <array>

namespace parley::core {

bool has_danger_mark(std::string_view markdown) {
  constexpr std::array kMarks = {kCareful, kNotUnderstood, kCarefulChinese, kNotUnderstoodChinese};
  while (!markdown.empty() && !markdown.starts_with("```")) {
    const bool is_mark = std::any_of(kMarks.begin(), kMarks.end(), [markdown](std::string_view it) {
      return markdown.starts_with(it);
    });
    if (is_mark) return true;
    const std::size_t end = markdown.find('\n');
    if (end == std::string_view::npos) break;
    markdown.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace parley::core
