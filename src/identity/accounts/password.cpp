// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/accounts/password.h"

#include <sodium.h>

#include <array>

#include "base/core/assert.h"

namespace parley::accounts {
namespace {

void need_sodium() {
  PARLEY_ASSERT(sodium_init() >= 0, "libsodium finds no random number generator");
}

}  // namespace

core::Result<std::string> hash_password(std::string_view password, const PasswordCost& cost) {
  need_sodium();
  std::array<char, crypto_pwhash_STRBYTES> text{};
  if (crypto_pwhash_str_alg(text.data(), password.data(), password.size(), cost.passes,
                            cost.memory_bytes, crypto_pwhash_ALG_ARGON2ID13) != 0) {
    return core::fail(core::Code::resource_exhausted,
                      "There is not enough memory to check a password. Try again later.");
  }
  return std::string(text.data());
}

bool is_password(std::string_view password, const std::string& hash) {
  need_sodium();
  return crypto_pwhash_str_verify(hash.c_str(), password.data(), password.size()) == 0;
}

}  // namespace parley::accounts
