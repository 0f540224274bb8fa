// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace parley::core {

// The first position from `from` on at which `part` is in `text`; npos: none. Takes time in
// proportion to both lengths. std::string_view::find() compares from each position anew: a text and
// a part of 1 MiB, written for it, take seconds. Use this where both come from outside.
std::size_t find_part(std::string_view text, std::string_view part, std::size_t from = 0);

inline bool has_part(std::string_view text, std::string_view part) {
  return find_part(text, part) != std::string_view::npos;
}

}  // namespace parley::core
