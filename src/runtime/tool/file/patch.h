// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace parley::tool {

// A change within a file: the present lines (context and removed lines) and their replacement.
struct PatchHunk {
  std::size_t number = 0;  // in its file, from 1
  std::string header;      // after @@: a line above the change, such as a function's; may be empty
  std::vector<std::string> before;  // context and removed lines
  std::vector<std::string> after;   // context and added lines
  bool at_end = false;              // *** End of File
};

struct FilePatch {
  enum class Kind : std::uint8_t { add, update, remove };
  Kind kind = Kind::update;
  std::string path;
  std::string move_to;           // of an update; empty: the path stays
  std::string content;           // of an add
  std::vector<PatchHunk> hunks;  // of an update; may be empty if it moves
};

// Reads a patch in its envelope:
//
//   *** Begin Patch
//   *** Add File: PATH           every line begins with +
//   *** Update File: PATH        may be followed by *** Move to: PATH
//   @@ HEADER                    lines that begin with a space (context), - or +
//   *** End of File              the hunk ends where the file ends
//   *** Delete File: PATH
//   *** End Patch
//
// An empty line in a hunk is an empty context line; the ranges "@@ -1,2 +1,3 @@" of a unified diff
// count as no header. Errors: `invalid_argument`, with the line of the patch at fault;
// `resource_exhausted` (more than kMaxPatchLines lines).
core::Result<std::vector<FilePatch>> parse_patch(std::string_view text);

// The text after all hunks, which apply in order, each below the previous one. The lines of a hunk
// are matched exactly first, then ignoring white space at the ends of lines, then at both ends.
// Line ends of the file (LF or CR LF) are kept. Errors: `failed_precondition`, naming the hunk that
// does not fit and its first line that is missing; `resource_exhausted` (the text has more than
// kMaxPatchedLines lines, the result would have more than `max_bytes`, or the search for a hunk
// took too many comparisons in a long, repetitive text).
core::Result<std::string> apply_hunks(std::string_view text, const std::vector<PatchHunk>& hunks,
                                      std::size_t max_bytes);

// Limit (Tools): files of a patch. Reached: refused, nothing changed.
inline constexpr std::size_t kMaxPatchFiles = 200;
// Limit (Tools): lines of a patch. Reached: refused, nothing changed.
inline constexpr std::size_t kMaxPatchLines = 500'000;
// Limit of the hunks of one file.
// Limit (Tools): hunks of a file. Reached: refused, nothing changed.
inline constexpr std::size_t kMaxPatchHunks = 1'000;
// Limit of the lines of a patched file.
// Limit (Tools): lines of a patched file. Reached: refused, nothing changed.
inline constexpr std::size_t kMaxPatchedLines = 1'000'000;

}  // namespace parley::tool
