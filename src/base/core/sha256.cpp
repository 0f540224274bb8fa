// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/sha256.h"

#include <openssl/evp.h>

#include <algorithm>

#include "base/core/assert.h"
#include "base/core/hex.h"

namespace parley::core {

std::string sha256(std::string_view bytes) {
  std::string digest(kSha256Bytes, '\0');
  unsigned int size = 0;
  const int done =
      EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()), &size,
                 EVP_sha256(), nullptr);
  PARLEY_ASSERT(done == 1 && size == kSha256Bytes, "SHA-256 is not available");
  return digest;
}

std::string sha256_hex(std::string_view bytes) { return hex_text(sha256(bytes)); }

bool is_sha256_hex(std::string_view text) {
  return text.size() == kSha256Digits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace parley::core
