// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

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
  std::vector<std::size_t> lines;  // line numbers of the first ones, from 1, in the old text
};

// Replaces `old_text`, which must occur exactly once unless `all`. If it does not occur, and the
// text has lines that end with CR LF, the line ends of the edit are converted. Errors:
// `invalid_argument` (both are the same, or the old text is empty), `not_found` (names the place
// that matches without white space), `failed_precondition` (several occurrences: names their
// lines), `resource_exhausted` (the result would have more than `max_bytes`; computed before the
// result is built).
core::Result<Edited> apply_edit(std::string_view text, const TextEdit& edit, std::size_t max_bytes);

}  // namespace parley::tool
