// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/visible_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "base/core/utf8.h"

namespace parley::core {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

constexpr char32_t kNonJoiner = 0x200c;
constexpr char32_t kJoiner = 0x200d;
constexpr char32_t kTextSelector = 0xfe0e;
constexpr char32_t kEmojiSelector = 0xfe0f;
constexpr char32_t kKeycap = 0x20e3;

// Sorted. Noncharacters at the end of each plane are checked separately.
constexpr std::array<Range, 26> kHidden = {{
    {0x0000, 0x001f},   {0x007f, 0x009f},     {0x00ad, 0x00ad},   {0x034f, 0x034f},
    {0x061c, 0x061c},   {0x115f, 0x1160},     {0x17b4, 0x17b5},   {0x180b, 0x180f},
    {0x200b, 0x200f},   {0x2028, 0x202e},     {0x2060, 0x206f},   {0x2800, 0x2800},
    {0x3164, 0x3164},   {0xd800, 0xdfff},     {0xe000, 0xf8ff},   {0xfdd0, 0xfdef},
    {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},     {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
    {0xfffe, 0xffff},   {0x1bca0, 0x1bca3},   {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
    {0xf0000, 0xfffff}, {0x100000, 0x10ffff},
}};

// Sorted. Characters that a selector turns into an emoji, and emoji themselves.
constexpr std::array<Range, 27> kEmoji = {{
    {0x00a9, 0x00a9}, {0x00ae, 0x00ae},   {0x203c, 0x203c}, {0x2049, 0x2049}, {0x2122, 0x2122},
    {0x2139, 0x2139}, {0x2194, 0x2199},   {0x21a9, 0x21aa}, {0x231a, 0x231b}, {0x2328, 0x2328},
    {0x23cf, 0x23cf}, {0x23e9, 0x23f3},   {0x23f8, 0x23fa}, {0x24c2, 0x24c2}, {0x25aa, 0x25ab},
    {0x25b6, 0x25b6}, {0x25c0, 0x25c0},   {0x25fb, 0x25fe}, {0x2600, 0x27bf}, {0x2934, 0x2935},
    {0x2b05, 0x2b07}, {0x2b1b, 0x2b1c},   {0x2b50, 0x2b55}, {0x3030, 0x303d}, {0x3297, 0x3297},
    {0x3299, 0x3299}, {0x1f000, 0x1faff},
}};

// Sorted. Scripts that spell with joiner and non-joiner.
constexpr std::array<Range, 3> kJoining = {{{0x0620, 0x0dff}, {0x1000, 0x109f}, {0x1780, 0x17d3}}};

template <std::size_t kCount>
bool is_in(const std::array<Range, kCount>& ranges, char32_t code) {
  const auto at = std::lower_bound(ranges.begin(), ranges.end(), code,
                                   [](const Range& one, char32_t c) { return one.last < c; });
  return at != ranges.end() && at->first <= code;
}

bool is_hidden(char32_t code) { return is_in(kHidden, code) || (code & 0xfffeU) == 0xfffeU; }

bool is_keycap_base(char32_t code) {
  return (code >= U'0' && code <= U'9') || code == U'#' || code == U'*';
}

char32_t decode(std::string_view bytes) {
  const auto byte = [bytes](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  if (bytes.size() == 1) return byte(0);
  char32_t code = byte(0) & (0x7fU >> bytes.size());
  for (std::size_t i = 1; i < bytes.size(); ++i) code = (code << 6U) | (byte(i) & 0x3fU);
  return code;
}

std::size_t length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

void append_code(std::string& out, char32_t code) {
  const auto byte = [&out](char32_t value) { out.push_back(static_cast<char>(value)); };
  if (code < 0x80) return byte(code);
  byte(0xe0U | (code >> 12U));  // characters held back are CR or have three bytes
  byte(0x80U | ((code >> 6U) & 0x3fU));
  byte(0x80U | (code & 0x3fU));
}

void append_hex(std::string& out, const char* form, unsigned value) {
  std::array<char, 16> text{};
  const int size = std::snprintf(text.data(), text.size(), form, value);
  out.append(text.data(), static_cast<std::size_t>(size));
}

}  // namespace

void VisibleText::append(std::string& out, std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t good = utf8_prefix(piece);
    for (std::size_t at = 0; at < good;) {
      const std::size_t length = length_of(static_cast<unsigned char>(piece[at]));
      const std::string_view bytes = piece.substr(at, length);
      take(out, decode(bytes), bytes);
      at += length;
    }
    piece.remove_prefix(good);
    if (piece.empty()) return;
    settle(out, 0);
    append_hex(out, "<0x%02X>", static_cast<unsigned char>(piece.front()));
    before_ = 0;
    ++hidden_;
    piece.remove_prefix(1);
  }
}

void VisibleText::finish(std::string& out) {
  settle(out, 0);
  before_ = 0;
}

void VisibleText::take(std::string& out, char32_t code, std::string_view bytes) {
  settle(out, code);
  if (waits(code)) {
    waiting_ = code;
    return;
  }
  if (shows(code)) {
    out += bytes;
  } else {
    escape(out, code);
  }
  before_ = code;
}

// True if the next character decides how `code` is written.
bool VisibleText::waits(char32_t code) const {
  if (code == U'\r') return breaks_ == Breaks::keep;
  if (code == kEmojiSelector) return is_keycap_base(before_);
  return code == kJoiner || code == kNonJoiner;
}

bool VisibleText::shows(char32_t code) const {
  if (code == U'\n' || code == U'\t') return breaks_ == Breaks::keep;
  if (code == kEmojiSelector || code == kTextSelector) return is_in(kEmoji, before_);
  return !is_hidden(code);
}

void VisibleText::settle(std::string& out, char32_t next) {
  const char32_t code = waiting_;
  if (code == 0) return;
  waiting_ = 0;
  bool shown = is_in(kJoining, before_) && is_in(kJoining, next);
  if (code == U'\r') shown = next == U'\n';
  if (code == kEmojiSelector) shown = next == kKeycap;
  if (code == kJoiner && (is_in(kEmoji, before_) || before_ == kEmojiSelector)) {
    shown = is_in(kEmoji, next);
  }
  if (shown) {
    append_code(out, code);
  } else {
    escape(out, code);
  }
  before_ = code;
}

void VisibleText::escape(std::string& out, char32_t code) {
  append_hex(out, "<U+%04X>", static_cast<unsigned>(code));
  ++hidden_;
}

std::string visible_text(std::string_view text, Breaks breaks) {
  std::string out;
  out.reserve(text.size());
  VisibleText visible(breaks);
  visible.append(out, text);
  visible.finish(out);
  return out;
}

std::size_t count_hidden(std::string_view text, Breaks breaks) {
  std::string out;
  VisibleText visible(breaks);
  visible.append(out, text);
  visible.finish(out);
  return visible.hidden();
}

}  // namespace parley::core
