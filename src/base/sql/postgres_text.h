// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::sql {

// PostgreSQL stores no text with U+0000, which people and agents do send. In its place a column has
// U+10FFFF, which is no character, and '0'; for U+10FFFF itself U+10FFFF and '1'. Texts are
// compared as they are stored, so that equal ones stay equal.

// True for a text, or a stored one, that has one of the two code points.
bool has_escapes(std::string_view text);
// The stored form.
std::string escaped(std::string_view text);
// The text of a stored form.
std::string unescaped(std::string_view stored);

}  // namespace parley::sql
