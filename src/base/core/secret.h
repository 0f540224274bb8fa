// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/core/entropy.h"

namespace parley::core {

// A new secret: `prefix` and 43 characters of A-Z a-z 0-9 - _, 256 random bits.
std::string new_secret(std::string_view prefix, Entropy& entropy);

// SHA-256, 32 raw bytes: the stored form of a secret that cannot be guessed.
std::string secret_hash(std::string_view secret);

}  // namespace parley::core
