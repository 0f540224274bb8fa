// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/shell/script.h"

// The options in front of a program's operands.
namespace parley::shell {

// Names separated by blanks: letters, and long options without their "--".
struct OptionTable {
  std::string_view valued = {};    // the rest of the word or the next one is the value
  std::string_view flags = {};     // without a value, or with one behind "="
  std::string_view attached = {};  // letters; the rest of the word is the value
};

struct Option {
  std::string name;  // as in the table
  std::optional<Word> value;
};

struct Options {
  std::vector<Option> options;
  std::size_t end = 0;     // position of the first operand
  std::string unknown;     // the first that is not in the table; taken for a flag
  bool is_unsure = false;  // the last was an unknown long one, whose value the operand may be
  bool has(std::string_view names) const;
  std::vector<Word> values_of(std::string_view names) const;
};

// The options from position `at` on. A "+" in front of letters counts as a "-".
Options read_options(std::span<const Word> words, std::size_t at, const OptionTable& table);

}  // namespace parley::shell
