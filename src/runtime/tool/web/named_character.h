// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parley::tool {

// Replaces the character references that HTML 5 added to those of HTML 4 ("&check;") by numbers
// ("&#x2713;"), because libxml2 knows only the names of HTML 4. Any thread.
std::string with_numbered_characters(std::string_view html);

inline constexpr std::size_t kMaxCharacterName = 31;  // length of the longest name

}  // namespace parley::tool
