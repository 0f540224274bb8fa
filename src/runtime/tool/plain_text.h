// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace parley::tool {

// How many characters (code points) UTF-8 text has.
std::size_t count_characters(std::string_view text);

// The first or last `count` characters of UTF-8 text; all of it if it has no more.
std::string_view first_characters(std::string_view text, std::size_t count);
std::string_view last_characters(std::string_view text, std::size_t count);

// At most `limit` bytes of text of any encoding, not cut within a character where it is UTF-8.
std::string_view cut_bytes(std::string_view text, std::size_t limit);

// Whether the beginning of a file says that it is no text: it has a NUL byte.
bool looks_binary(std::string_view head);
inline constexpr std::size_t kBinaryProbeBytes = 8192;

}  // namespace parley::tool
