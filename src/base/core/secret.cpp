// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/secret.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <array>

#include "base/core/base64.h"

namespace parley::core {
namespace {

constexpr std::size_t kSecretBytes = 32;

}  // namespace

std::string new_secret(std::string_view prefix, Entropy& entropy) {
  std::array<std::byte, kSecretBytes> raw{};
  entropy.fill(raw);
  std::string secret(prefix);
  secret += base64url_encode({reinterpret_cast<const char*>(raw.data()), raw.size()});
  OPENSSL_cleanse(raw.data(), raw.size());
  return secret;
}

std::string secret_hash(std::string_view secret) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), digest.data());
  return {digest.begin(), digest.end()};
}

}  // namespace parley::core
