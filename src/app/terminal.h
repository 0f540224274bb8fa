// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::app {

// A failure as a person reads it: three short lines.
struct Complaint {
  std::string what;
  std::string why;
  std::string next;  // what to do about it
};

// "parley: WHAT\n  why:  WHY\n  next: NEXT\n"; empty parts are left out. Colour only if asked for.
std::string format_complaint(const Complaint& complaint, bool colour);

// Writes a complaint to stderr, in colour if that is a terminal and NO_COLOR is not set.
void complain(const Complaint& complaint);

// Whether stderr is a terminal that may be coloured.
bool stderr_is_terminal();
bool stderr_has_colour();

// Writes all of `text` to stdout at once and flushes it. False if that failed.
bool print(std::string_view text);

}  // namespace parley::app
