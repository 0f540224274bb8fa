// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/shell/place.h"
#include "base/shell/script.h"

namespace parley::shell {

inline constexpr std::size_t kMaxLineBytes = 256;  // more than a note shows

// One program with its arguments, as it is started at last: without "sudo", "env" and their like
// (wrappers.h).
struct Call {
  std::string name;   // without its folder; empty: only known when the command runs
  std::string title;  // the name, or the path of a program outside the system's folders
  std::span<const Word> arguments;
  const Command* command = nullptr;
  std::vector<std::string> wrappers;     // the names of those in front
  std::vector<const Word*> assignments;  // "NAME=value" behind "env" and "sudo"
  std::vector<Word> moves;               // folders that a wrapper changes to
  std::vector<Word> scripts;             // texts that a wrapper runs
  std::vector<std::string> own_files;    // titles of programs outside the system's folders
  // Folders that the command may run in; an empty one is unknown.
  std::vector<std::string> folders;
  bool takes_more = false;  // arguments are added when it runs, as by xargs
  bool runs_added = false;  // the program that runs is one of them
  std::string problem;      // the part of a wrapper that was not understood, as a sentence

  // True if an argument is exactly one of these, or the beginning of one that begins with "--".
  bool has_option(std::initializer_list<std::string_view> options) const;
  // True if an argument "-rf" has the letter, or one is the long option or the beginning of it.
  bool has_flag(char letter, std::string_view long_option) const;
  // The arguments that are no options.
  std::vector<const Word*> operands() const;
  // True if one of them is the word; the value of an option counts too.
  bool has_operand(std::string_view word) const;
  // The first of them with fixed text; empty: none.
  std::string_view verb() const;
  // The values of options. `names` are separated by blanks: "o" is "-o VALUE" or "-oVALUE",
  // "output" is "--output=VALUE", "--output VALUE" or the beginning of it, "-out" is "-out VALUE".
  // `bundle` has the letters that may be in front of a letter ("-sLo"); "*": any.
  std::vector<Word> values_of(std::string_view names, std::string_view bundle = "*") const;
  // The words as one line, cut behind kMaxLineBytes.
  std::string line() const;
};

// Words as one line, cut behind kMaxLineBytes.
std::string line_of(std::span<const Word> words);

// Words as one text, with blanks in between; fixed if all are.
Word joined(std::span<const Word> words);

// The path in a word, with $HOME as "~"; std::nullopt: it is only known when the command runs.
std::optional<std::string> path_in(const Word& word);

}  // namespace parley::shell
