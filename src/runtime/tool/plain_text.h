// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace parley::tool {

// Number of characters (code points) of UTF-8 text.
std::size_t count_characters(std::string_view text);

// The first or last `count` characters of UTF-8 text; all of it if it has no more.
std::string_view first_characters(std::string_view text, std::size_t count);
std::string_view last_characters(std::string_view text, std::size_t count);

// At most `limit` bytes of text in any encoding; UTF-8 is not cut within a character.
std::string_view cut_bytes(std::string_view text, std::size_t limit);

// True if the beginning of a file shows that it is not text: it has a NUL byte.
bool looks_binary(std::string_view head);
inline constexpr std::size_t kBinaryProbeBytes = 8192;

}  // namespace parley::tool
