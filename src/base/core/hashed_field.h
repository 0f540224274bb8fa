// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::core {

// Appends one field of a text that is hashed: a line with its name, a space and its number of
// bytes, then the field and a line feed. Different lists of fields make different texts.
inline void append_hashed_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(" ").append(std::to_string(value.size())).append("\n");
  out.append(value).append("\n");
}

}  // namespace parley::core
