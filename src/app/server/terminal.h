// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parley::app {

// A failure, described for a person in three short lines.
struct Complaint {
  std::string what;
  std::string why;
  std::string next;  // advice for the person
};

// "parley: WHAT\n  why:  WHY\n  next: NEXT\n"; empty parts are left out. Hidden characters are
// made visible (base/core/visible_text.h).
std::string format_complaint(const Complaint& complaint, bool colour);

// Writes a complaint to stderr, in colour if stderr_has_colour().
void complain(const Complaint& complaint);

// True if stderr is a terminal; respectively if it may be coloured: a terminal, and NO_COLOR is not
// set.
bool stderr_is_terminal();
bool stderr_has_colour();
bool stdout_is_terminal();
// The width of the terminal at a descriptor, in columns; 80 if unknown.
std::size_t terminal_columns(int fd);

// Writes all of `text` to stdout at once and flushes it. False: the write failed. The text is
// unchanged in a file or pipe; at a terminal hidden characters are made visible.
bool print(std::string_view text);
// Like print(), for text for people: hidden characters are always made visible.
bool print_text(std::string_view text);
// Like print(), for text that has the program's own colours and whose hidden characters are visible
// already.
bool print_coloured(std::string_view text);

// The form of `data` for stdout: its visible form at a terminal, else `data`.
std::string for_stdout(std::string_view data);

// A column of a table: `text` filled with blanks to `width` bytes, and two more blanks.
std::string padded(std::string_view text, std::size_t width);

}  // namespace parley::app
