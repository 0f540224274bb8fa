// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/markdown_code.h"

#include <algorithm>

#include "base/core/visible_text.h"

namespace parley::core {

std::string code_span(std::string_view text) {
  std::string line = visible_line(text);
  std::replace(line.begin(), line.end(), '`', '\'');
  return "`" + line + "`";
}

std::string fenced(std::string_view language, std::string_view text) {
  const std::string visible = visible_text(text);
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : visible) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  std::string out = fence;
  out.append(language).append("\n").append(visible);
  if (!visible.ends_with('\n')) out.push_back('\n');
  return out + fence;
}

}  // namespace parley::core
