// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/plain_text.h"

#include <algorithm>

namespace parley::tool {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

}  // namespace

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  std::size_t seen = 0;
  for (; at < text.size(); ++at) {
    if (is_continuation(text[at])) continue;
    if (seen == count) break;
    ++seen;
  }
  return text.substr(0, at);
}

std::string_view last_characters(std::string_view text, std::size_t count) {
  std::size_t at = text.size();
  std::size_t seen = 0;
  while (at > 0 && seen < count) {
    --at;
    if (!is_continuation(text[at])) ++seen;
  }
  return text.substr(at);
}

std::string_view cut_bytes(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  // A character has at most three continuation bytes; more are not UTF-8.
  std::size_t at = limit;
  for (int back = 0; back < 3 && at > 0 && is_continuation(text[at]); ++back) --at;
  return text.substr(0, is_continuation(text[at]) ? limit : at);
}

bool looks_binary(std::string_view head) {
  return head.substr(0, kBinaryProbeBytes).find('\0') != std::string_view::npos;
}

}  // namespace parley::tool
