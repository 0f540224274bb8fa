// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/core/utf8.h"
#include "base/core/utf8_repair.h"

namespace parley::core {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

bool needs_escape(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

void append_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out.push_back(kHexDigits[static_cast<unsigned char>(c) >> 4U]);
      out.push_back(kHexDigits[static_cast<unsigned char>(c) & 0xfU]);
  }
}

// Appends well-formed text; runs without a character to escape are copied whole.
void append_escaped(std::string& out, std::string_view value) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!needs_escape(value[i])) continue;
    out.append(value, begin, i - begin);
    append_escape(out, value[i]);
    begin = i + 1;
  }
  out.append(value, begin);
}

// True if text is ASCII and has no character to escape, so that it can be copied unchanged.
bool is_plain(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kHigh = kOnes * 0x80U;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (; end - at >= 8; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    const std::uint64_t quote = word ^ (kOnes * '"');
    const std::uint64_t slash = word ^ (kOnes * '\\');
    // Not zero if a byte is 0x80 or above, below 0x20, a quote or a backslash; no other byte sets a
    // bit.
    const std::uint64_t found = word | (word - kOnes * 0x20U) | (quote - kOnes) | (slash - kOnes);
    if ((found & kHigh) != 0) return false;
  }
  return std::none_of(
      at, end, [](char c) { return static_cast<unsigned char>(c) >= 0x80 || needs_escape(c); });
}

template <typename Number>
void append_number(std::string& out, Number value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

}  // namespace

void append_json_string(std::string& out, std::string_view value) {
  out.push_back('"');
  if (is_plain(value)) {
    out.append(value);
  } else if (is_utf8(value)) {
    append_escaped(out, value);
  } else {
    append_escaped(out, repaired_utf8(value));
  }
  out.push_back('"');
}

void JsonWriter::before_value() {
  if (need_comma_) out_.push_back(',');
  need_comma_ = true;
}

JsonWriter& JsonWriter::begin_object() {
  before_value();
  out_.push_back('{');
  need_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  out_.push_back('}');
  need_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  before_value();
  out_.push_back('[');
  need_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  out_.push_back(']');
  need_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  before_value();
  append_json_string(out_, name);
  out_.push_back(':');
  need_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view value) {
  before_value();
  append_json_string(out_, value);
  return *this;
}

JsonWriter& JsonWriter::number(std::int64_t value) {
  before_value();
  append_number(out_, value);
  return *this;
}

JsonWriter& JsonWriter::number(std::uint64_t value) {
  before_value();
  append_number(out_, value);
  return *this;
}

JsonWriter& JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  before_value();
  append_number(out_, value);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  before_value();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  before_value();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  before_value();
  out_ += json;
  return *this;
}

}  // namespace parley::core
