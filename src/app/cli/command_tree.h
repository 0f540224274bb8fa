// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::app {

// The place that the words of a command line lead to. Reads the tree of commands and parses
// nothing.
struct Place {
  const CLI::App* command = nullptr;
  std::string path;                      // "parley token create"
  std::size_t arguments = 0;             // words that are neither commands nor flags nor values
  const CLI::Option* awaited = nullptr;  // the flag whose value would be the next word
  // The first word that the tree does not have: a flag, without a value behind '=', or a command.
  std::optional<std::string> stranger;
};

// `words`: behind the name of the program, which is that of `root`.
Place place_of(const CLI::App& root, const std::vector<std::string>& words);

// The flag of a command with this name ("--json", "-h"); nullptr: none.
const CLI::Option* flag_named(const CLI::App& command, std::string_view name);

// A complaint about the stranger of a place: "There is no flag --verison of `parley ask`.", and
// `Did you mean --version?` or where the names are listed.
struct StrangerText {
  std::string why;
  std::string next;
};
StrangerText text_of_stranger(const Place& place);

// A possible last word of a command line.
struct Candidate {
  std::string word;
  std::string about;  // one line; may be empty
};

// The words that may follow: completed words and, as the last one, the word being typed (may be
// empty).
struct Completion {
  std::vector<Candidate> candidates;
  bool files = false;    // names of files are possible too
  bool folders = false;  // names of folders
};
Completion complete(const CLI::App& root, const std::vector<std::string>& words);

// Lines "WORD\tABOUT", then ":files" or ":folders", for the scripts in deploy/completions.
std::string lines_of(const Completion& completion);

// Adds the flags of a help text to a command that reads its flags by itself:
// "  --name VALUE  text", "  --one, --two  text", "  --mode a|b  text".
void add_flags_of_text(CLI::App& command, std::string_view help);

}  // namespace parley::app
