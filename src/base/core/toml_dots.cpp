// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/toml_dots.h"

#include <algorithm>
#include <string>

namespace parley::core {
namespace {

// The position behind the string that begins at `at`.
std::size_t after_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool many_lines = text.substr(at).starts_with(three);
  at += many_lines ? 3 : 1;
  while (at < text.size()) {
    if (quote == '"' && text[at] == '\\') {
      at += 2;
    } else if (many_lines ? text.substr(at).starts_with(three) : text[at] == quote) {
      return at + (many_lines ? 3 : 1);
    } else if (!many_lines && text[at] == '\n') {
      return at;  // not TOML: the parser reports it
    } else {
      ++at;
    }
  }
  return text.size();
}

}  // namespace

std::size_t count_toml_dots(std::string_view text) {
  std::size_t dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = after_string(text, at);
    } else if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else {
      dots += c == '.' ? 1U : 0U;
      ++at;
    }
  }
  return dots;
}

}  // namespace parley::core
