// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "auth/secret.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <array>

namespace parley::auth {
namespace {

constexpr std::size_t kSecretBytes = 32;

}  // namespace

std::string new_secret(std::string_view prefix, core::Entropy& entropy) {
  std::array<std::byte, kSecretBytes> raw{};
  entropy.fill(raw);
  std::array<unsigned char, 64> text{};
  const int size = EVP_EncodeBlock(text.data(), reinterpret_cast<const unsigned char*>(raw.data()),
                                   static_cast<int>(raw.size()));
  OPENSSL_cleanse(raw.data(), raw.size());
  std::string secret(prefix);
  for (int i = 0; i < size; ++i) {
    const char c = static_cast<char>(text.at(static_cast<std::size_t>(i)));
    if (c == '=') break;
    secret.push_back(c == '+' ? '-' : (c == '/' ? '_' : c));
  }
  return secret;
}

std::string secret_hash(std::string_view secret) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), digest.data());
  return {digest.begin(), digest.end()};
}

}  // namespace parley::auth
