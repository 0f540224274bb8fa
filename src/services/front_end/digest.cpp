// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/front_end/digest.h"

#include <openssl/evp.h>

#include <array>
#include <cstdint>

#include "base/core/base64.h"
#include "base/core/hex.h"

namespace parley::front_end {
namespace {

using Digest = std::array<unsigned char, EVP_MAX_MD_SIZE>;

constexpr std::size_t kSha256Bytes = 32;
constexpr std::size_t kNumberBytes = 8;
constexpr std::uint64_t kPositive = UINT64_MAX >> 1U;

Digest sha256(std::string_view bytes) {
  Digest digest{};
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return digest;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  return core::hex_of_digest(sha256(bytes), kSha256Bytes);
}

std::string sha256_base64(std::string_view bytes) {
  const Digest digest = sha256(bytes);
  return core::base64_encode({reinterpret_cast<const char*>(digest.data()), kSha256Bytes});
}

std::string number_of_name(std::string_view name) {
  const Digest digest = sha256(name);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < kNumberBytes; ++i) number = number << 8U | digest.at(i);
  return std::to_string(number & kPositive);
}

}  // namespace parley::front_end
