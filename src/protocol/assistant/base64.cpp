// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/assistant/base64.h"

#include <array>
#include <cstdint>

namespace parley::assistant {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNotADigit = 0xff;
constexpr std::uint8_t kSpace = 0xfe;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  for (auto& value : values) value = kNotADigit;
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values.at(static_cast<unsigned char>(kAlphabet[i])) = static_cast<std::uint8_t>(i);
  }
  values.at(static_cast<unsigned char>('-')) = 62;
  values.at(static_cast<unsigned char>('_')) = 63;
  for (const char space : {' ', '\t', '\r', '\n'}) {
    values.at(static_cast<unsigned char>(space)) = kSpace;
  }
  return values;
}

constexpr std::array<std::uint8_t, 256> kValues = make_values();

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = bytes.size() - at < 3 ? bytes.size() - at : 3;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits <<= 8U;
      if (i < count) bits |= static_cast<unsigned char>(bytes[at + i]);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint32_t digit = (bits >> (6U * (3U - i))) & 0x3fU;
      out.push_back(i <= count ? kAlphabet[digit] : '=');
    }
  }
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    const std::uint8_t value = kValues.at(static_cast<unsigned char>(c));
    if (value == kSpace) continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    if (value == kNotADigit || padding > 0) return std::nullopt;
    bits = ((bits << 6U) | value) & 0xffffffU;
    ++digits;
    const std::size_t place = digits % 4;
    if (place == 2) out.push_back(static_cast<char>((bits >> 4U) & 0xffU));
    if (place == 3) out.push_back(static_cast<char>((bits >> 2U) & 0xffU));
    if (place == 0) out.push_back(static_cast<char>(bits & 0xffU));
  }
  if (digits % 4 == 1 || padding > 2) return std::nullopt;
  if (padding > 0 && (digits + padding) % 4 != 0) return std::nullopt;
  return out;
}

}  // namespace parley::assistant
