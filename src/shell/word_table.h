// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace parley::shell {

inline bool is_in(std::span<const std::string_view> table, std::string_view word) {
  return std::find(table.begin(), table.end(), word) != table.end();
}

}  // namespace parley::shell
