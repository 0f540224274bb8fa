// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/shell/call.h"

// Shells, and interpreters of other languages: where the text is that they run.
namespace parley::shell {

struct Reading {
  bool is_shell = false;
  std::vector<Word> texts;  // in the arguments
  std::vector<Word> files;
  bool reads_input = false;  // its standard input, or the arguments that xargs adds
};

// std::nullopt: another program.
std::optional<Reading> reading_of(const Call& call);

}  // namespace parley::shell
