// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace parley::core {

// Number of dots in a TOML text outside of strings and comments. Each dot of a key (`a.b.c = 1`)
// nests a table in a table, without a limit in toml++ 3.3, and tables are destroyed by recursion: a
// line of 120,000 dots ends the process. Therefore a text from outside is counted before it is
// parsed, and refused beyond kMaxTomlDots.
std::size_t count_toml_dots(std::string_view text);

// Limit (Runs): dots of TOML keys and numbers. Reached: it cannot be read, reported.
inline constexpr std::size_t kMaxTomlDots = 2'000;

}  // namespace parley::core
