// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace parley::accounts {

// Cost of one argon2id hash: about 0.1 s of one core and 64 MiB. A hash contains its own cost.
struct PasswordCost {
  std::uint64_t passes = 2;
  std::size_t memory_bytes = 64U << 20U;

  // The lowest cost that argon2id supports; for tests only.
  static constexpr PasswordCost least() { return {1, 8'192}; }
};

// The hash of a password in argon2's own text form, with a salt of the kernel's generator. Slow:
// never on a loop. Errors: `resource_exhausted` (no memory for it).
core::Result<std::string> hash_password(std::string_view password, const PasswordCost& cost = {});

// True if `hash` belongs to the password. As slow as hash_password().
bool is_password(std::string_view password, const std::string& hash);

}  // namespace parley::accounts
