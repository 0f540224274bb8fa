// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/place.h"
#include "shell/script.h"

namespace parley::shell {

// One program with its arguments, as it is started at last: without "sudo", "env" and their like.
struct Call {
  std::string name;  // without its folder; empty: only known when the command runs
  std::span<const Word> arguments;
  const Command* command = nullptr;
  std::vector<std::string> wrappers;  // the names of those in front
  // Folders that the command may run in; an empty one is unknown.
  std::span<const std::string> folders;
  bool takes_more = false;  // xargs adds arguments

  // True if an argument is exactly one of these.
  bool has_option(std::initializer_list<std::string_view> options) const;
  // True if an argument "-rf" has the letter, or one is the long option.
  bool has_flag(char letter, std::string_view long_option) const;
  // The arguments that are no options.
  std::vector<const Word*> operands() const;
  // The first of them with fixed text; empty: none.
  std::string_view verb() const;
  // The value of "-o VALUE", "-oVALUE" or "--option=VALUE".
  std::optional<Word> value_of(std::string_view letter, std::string_view long_option) const;
  // The words as one line.
  std::string line() const;
};

// std::nullopt: the command has no name.
std::optional<Call> call_of(const Command& command, std::span<const Word> words,
                            std::span<const std::string> folders);

// The path in a word, with $HOME as "~"; std::nullopt: it is only known when the command runs.
std::optional<std::string> path_in(const Word& word);

}  // namespace parley::shell
