// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/shell/note.h"
#include "base/shell/place.h"
#include "base/shell/script.h"

namespace parley::shell {

inline constexpr std::size_t kMaxNotes = 64;
// Scripts and commands in the arguments of commands, as of "sh -c" and "find -exec".
inline constexpr int kMaxScriptsWithin = 8;
inline constexpr std::size_t kMaxBytesWithin = 2 * kMaxScriptBytes;  // of all such scripts

// The notes about a shell command, found by reading it: nothing is run, no file is opened, and no
// rule of thumb guesses what a program does that is not known. A person decides; the notes say
// where to look.
struct Explanation {
  std::vector<Note> notes;  // each once; dangers first, then in the order of the command
  bool has_more = false;    // more than kMaxNotes were found
  // The part that was not understood, as a sentence; empty: all was read.
  std::string problem;
};

// Takes time in proportion to the command, at most kMaxScriptBytes of it.
Explanation explain(std::string_view command, const Place& place);

}  // namespace parley::shell
