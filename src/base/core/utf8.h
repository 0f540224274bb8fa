// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace parley::core {

// True if `text` is well-formed UTF-8 (no surrogates, no overlong forms).
bool is_utf8(std::string_view text);

// The length in bytes of the longest well-formed prefix of `text`.
std::size_t utf8_prefix(std::string_view text);

// At most `limit` bytes of `text`, cut between two characters. `text` must be UTF-8.
std::string_view utf8_truncate(std::string_view text, std::size_t limit);

}  // namespace parley::core
