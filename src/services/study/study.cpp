// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/study.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/core/hex.h"
#include "base/core/time_text.h"

namespace parley::study {
namespace {

constexpr std::size_t kAffinityBytes = 10;
constexpr std::size_t kDayDigits = 8;
constexpr std::size_t kMinNumberDigits = 3;
constexpr std::size_t kMaxNumberDigits = 12;

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string placement_key_of(std::string_view owner, std::string_view relay_session) {
  std::string text(owner);
  text.push_back('\0');
  text += relay_session;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data());
  return core::hex_of_digest(hash, kAffinityBytes);
}

std::string day_of(core::WallTime at) {
  std::string day = core::day_text(at);
  std::erase(day, '-');
  return day;
}

std::string study_id_of(const StudyNumber& number) {
  std::string digits = std::to_string(number.number);
  if (digits.size() < kMinNumberDigits) digits.insert(0, kMinNumberDigits - digits.size(), '0');
  return "s-" + number.day + "-" + digits;
}

std::optional<StudyNumber> parse_study_id(std::string_view id) {
  constexpr std::size_t kDash = 2 + kDayDigits;
  if (!id.starts_with("s-") || id.size() <= kDash || id[kDash] != '-') return std::nullopt;
  const std::string_view day = id.substr(2, kDayDigits);
  const std::string_view digits = id.substr(kDash + 1);
  if (!all_digits(day) || !all_digits(digits)) return std::nullopt;
  if (digits.size() < kMinNumberDigits || digits.size() > kMaxNumberDigits) return std::nullopt;
  StudyNumber out{std::string(day), 0};
  std::from_chars(digits.data(), digits.data() + digits.size(), out.number);
  if (out.number == 0 || study_id_of(out) != id) return std::nullopt;
  return out;
}

std::string study_of_session(std::string_view session) {
  const std::string_view id = session.substr(0, session.find('.'));
  return id.size() < session.size() && parse_study_id(id) ? std::string(id) : std::string();
}

std::string log_name(std::string_view id) { return "logs/study/" + std::string(id) + ".jsonl"; }

}  // namespace parley::study
