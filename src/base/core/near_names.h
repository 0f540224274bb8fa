// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parley::core {

// Limit of the names that are compared, in bytes; longer ones are skipped.
inline constexpr std::size_t kMaxComparedName = 128;

// At most `count` of the names that resemble `wanted`, nearest first: equal except for case, up to
// 3 letters changed, or one name containing the other.
std::vector<std::string> near_names(std::string_view wanted,
                                    const std::vector<std::string_view>& names,
                                    std::size_t count = 3);

// ` Did you mean "steps" or "step"?`, or empty if no name is near.
std::string did_you_mean(std::string_view wanted, const std::vector<std::string_view>& names);

// A name in double quotes on one line, cut if it is long.
std::string in_quotes(std::string_view name);

// At most `count` names, quoted: `"a", "b" and 5 more`; "none" for an empty list.
std::string listed(const std::vector<std::string_view>& names, std::size_t count = 12);

}  // namespace parley::core
