// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/compact_text.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/core/ascii.h"

namespace parley::notify {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The marks that open a fence; empty: the line opens none.
std::string_view fence_of(std::string_view line) {
  constexpr std::size_t kLeastMarks = 3;
  const std::size_t end = std::min(line.find_first_not_of('`'), line.size());
  const bool opens = end >= kLeastMarks && line.find('`', end) == std::string_view::npos;
  return opens ? line.substr(0, end) : std::string_view();
}

}  // namespace

std::string compact_text(std::string_view markdown) {
  const std::vector<std::string_view> lines = lines_of(markdown);
  std::string out;
  const auto add = [&out](std::string_view line) {
    out.append(out.empty() ? "" : "\n").append(line);
  };
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    const std::string_view fence = fence_of(*line);
    if (fence.empty()) {
      if (!core::trimmed(*line).empty()) add(*line);
      continue;
    }
    const auto close = std::find(line + 1, lines.end(), fence);
    const bool is_one_line = close != lines.end() && close - line == 2 && !line[1].empty();
    if (is_one_line) {
      const bool has_mark = line[1].find('`') != std::string_view::npos;
      const std::string mark = has_mark ? std::string(fence) + " " : "`";
      add(mark + std::string(line[1]) + (has_mark ? " " + std::string(fence) : "`"));
    } else {
      std::for_each(line, close, add);
      if (close != lines.end()) add(fence);
    }
    if (close == lines.end()) break;
    line = close;
  }
  return out;
}

}  // namespace parley::notify
