// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parley::tool {

// The page with the character references that HTML 5 added to those of HTML 4 ("&check;") written
// as numbers ("&#x2713;"): libxml2 knows the names of HTML 4 alone. Any thread.
std::string with_numbered_characters(std::string_view html);

inline constexpr std::size_t kMaxCharacterName = 31;  // letters of the longest name

}  // namespace parley::tool
