// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/id.h"

#include <array>
#include <cstdint>
#include <vector>

namespace parley::core {
namespace {

constexpr std::string_view kIdDigits = "0123456789abcdef";
constexpr std::size_t kMaxSafeId = 64;

void append_hex(std::string& out, std::byte value) {
  const auto bits = std::to_integer<unsigned>(value);
  out.push_back(kIdDigits[bits >> 4U]);
  out.push_back(kIdDigits[bits & 0xfU]);
}

}  // namespace

std::string new_id(const Clock& clock, Entropy& entropy) {
  std::array<std::byte, 16> raw{};
  entropy.fill(raw);
  const auto ms = static_cast<std::uint64_t>(to_unix_ms(clock.wall()));
  for (std::size_t i = 0; i < 6; ++i) {
    raw[i] = static_cast<std::byte>((ms >> (8U * (5U - i))) & 0xffU);
  }
  raw[6] = (raw[6] & std::byte{0x0f}) | std::byte{0x70};
  raw[8] = (raw[8] & std::byte{0x3f}) | std::byte{0x80};
  std::string id;
  id.reserve(36);
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) id.push_back('-');
    append_hex(id, raw[i]);
  }
  return id;
}

std::string random_hex(Entropy& entropy, std::size_t bytes) {
  std::vector<std::byte> raw(bytes);
  entropy.fill(raw);
  std::string hex;
  hex.reserve(bytes * 2);
  for (const std::byte value : raw) append_hex(hex, value);
  return hex;
}

bool is_safe_id(std::string_view id) {
  if (id.empty() || id.size() > kMaxSafeId || id == "." || id == "..") return false;
  for (const char c : id) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (!letter && !digit && c != '.' && c != '_' && c != '-') return false;
  }
  return true;
}

}  // namespace parley::core
