// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/postgres_text.h"

namespace parley::sql {
namespace {

constexpr std::string_view kMark = "\xf4\x8f\xbf\xbf";  // U+10FFFF
constexpr char kNul = '0';
constexpr char kMarkItself = '1';

}  // namespace

bool has_escapes(std::string_view text) {
  return text.find('\0') != std::string_view::npos || text.find(kMark) != std::string_view::npos;
}

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2 * kMark.size());
  while (!text.empty()) {
    if (text.front() == '\0') {
      out.append(kMark).push_back(kNul);
      text.remove_prefix(1);
    } else if (text.starts_with(kMark)) {
      out.append(kMark).push_back(kMarkItself);
      text.remove_prefix(kMark.size());
    } else {
      out.push_back(text.front());
      text.remove_prefix(1);
    }
  }
  return out;
}

std::string unescaped(std::string_view stored) {
  std::string out;
  out.reserve(stored.size());
  while (!stored.empty()) {
    const std::size_t at = stored.find(kMark);
    out.append(stored.substr(0, at));
    if (at == std::string_view::npos) break;
    stored.remove_prefix(at + kMark.size());
    if (stored.starts_with(kNul)) {
      out.push_back('\0');
      stored.remove_prefix(1);
    } else {
      out.append(kMark);
      if (stored.starts_with(kMarkItself)) stored.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace parley::sql
