// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::core {

inline constexpr std::size_t kSha256Bytes = 32;
inline constexpr std::size_t kSha256Digits = 2 * kSha256Bytes;

// SHA-256 of `bytes`: its 32 bytes, or 64 hexadecimal digits in lower case.
std::string sha256(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);

// True for 64 hexadecimal digits in lower case.
bool is_sha256_hex(std::string_view text);

}  // namespace parley::core
