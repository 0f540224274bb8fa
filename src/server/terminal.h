// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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
// Hidden characters are written out (core/visible_text.h).
std::string format_complaint(const Complaint& complaint, bool colour);

// Writes a complaint to stderr, in colour if that is a terminal and NO_COLOR is not set.
void complain(const Complaint& complaint);

// Whether stderr is a terminal that may be coloured.
bool stderr_is_terminal();
bool stderr_has_colour();
bool stdout_is_terminal();
// The width of the terminal at a descriptor; 80 if it does not say.
std::size_t terminal_columns(int fd);

// Writes all of `text` to stdout at once and flushes it. False if that failed. Data for programs go
// out as they are; at a terminal hidden characters are written out.
bool print(std::string_view text);
// The same for text that people read: hidden characters are written out wherever it goes.
bool print_text(std::string_view text);
// The same for text that the program itself coloured and made visible.
bool print_coloured(std::string_view text);

// The form of `data` for stdout: its visible form at a terminal, else `data`.
std::string for_stdout(std::string_view data);

// A column of a table: `text` with blanks up to `width` bytes, and two more.
std::string padded(std::string_view text, std::size_t width);

}  // namespace parley::app
