// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace parley::tool {

// One replacement in a text.
struct TextEdit {
  std::string_view old_text;
  std::string_view new_text;
  bool all = false;
};

struct Edited {
  std::string text;
  std::size_t count = 0;           // of replacements
  std::vector<std::size_t> lines;  // where the first ones begin, from 1, in the old text
};

// Replaces `old_text`, which must occur exactly once unless `all`. In a text whose lines end with
// CR LF, lines of the edit that end with LF alone are taken to end so too. Errors:
// `invalid_argument` (both are the same, or the old text is empty), `not_found` (says where it
// would be but for white space), `failed_precondition` (occurs several times: says where),
// `resource_exhausted` (the result would have more than `max_bytes`; its size is worked out before
// anything is built).
core::Result<Edited> apply_edit(std::string_view text, const TextEdit& edit, std::size_t max_bytes);

}  // namespace parley::tool
