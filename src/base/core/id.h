// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/entropy.h"

namespace parley::core {

// A UUID version 7 (RFC 9562) in its 36-character lower-case form: 48 bits of Unix milliseconds,
// then 74 random bits. Sorts by time of creation, to the millisecond.
std::string new_id(const Clock& clock, Entropy& entropy);

// `bytes` random bytes as lower-case hexadecimal: 2 characters a byte.
std::string random_hex(Entropy& entropy, std::size_t bytes);

// True if `id` is safe in a path and in a log: [A-Za-z0-9._-]{1,64}, and neither "." nor "..".
bool is_safe_id(std::string_view id);

}  // namespace parley::core
