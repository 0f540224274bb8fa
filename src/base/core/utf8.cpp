// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/utf8.h"

#include <simdjson.h>

namespace parley::core {
namespace {

struct LeadByte {
  std::size_t length = 0;        // 0: not a lead byte
  unsigned char second_low = 0;  // the range of the second byte (Unicode 15, table 3-7)
  unsigned char second_high = 0;
};

LeadByte lead_byte(unsigned char c) {
  if (c < 0x80) return {1, 0, 0};
  if (c >= 0xc2 && c <= 0xdf) return {2, 0x80, 0xbf};
  if (c == 0xe0) return {3, 0xa0, 0xbf};
  if (c == 0xed) return {3, 0x80, 0x9f};
  if (c >= 0xe1 && c <= 0xef) return {3, 0x80, 0xbf};
  if (c == 0xf0) return {4, 0x90, 0xbf};
  if (c >= 0xf1 && c <= 0xf3) return {4, 0x80, 0xbf};
  if (c == 0xf4) return {4, 0x80, 0x8f};
  return {};
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

}  // namespace

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

std::size_t utf8_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const LeadByte lead = lead_byte(static_cast<unsigned char>(text[at]));
    if (lead.length == 0 || text.size() - at < lead.length) return at;
    if (lead.length > 1) {
      const auto second = static_cast<unsigned char>(text[at + 1]);
      if (second < lead.second_low || second > lead.second_high) return at;
    }
    for (std::size_t i = 2; i < lead.length; ++i) {
      if (!is_continuation(text[at + i])) return at;
    }
    at += lead.length;
  }
  return at;
}

std::string_view utf8_truncate(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && is_continuation(text[limit])) --limit;
  return text.substr(0, limit);
}

}  // namespace parley::core
