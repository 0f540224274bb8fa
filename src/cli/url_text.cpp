// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/url_text.h"

#include <cctype>

namespace parley::app {

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~') {
      out.push_back(c);
    } else {
      out.push_back('%');
      out.push_back(kHex[byte >> 4U]);
      out.push_back(kHex[byte & 0xfU]);
    }
  }
  return out;
}

}  // namespace parley::app
