// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/shell/call.h"
#include "base/shell/script.h"

namespace parley::shell {

// The origin of a command's output.
enum class Source : std::uint8_t { other, decoded, network };

// The calls of a script's commands, and what flows between them.
class Sources {
 public:
  // The script must outlive it.
  explicit Sources(const Script& script);

  const std::optional<Call>& call(std::size_t command) const { return calls_[command]; }
  // The source of the text that the commands print, with that of their input.
  Source of(Span commands) const;
  // The command at this position prints from `source`, too.
  void raise(std::size_t command, Source source);
  // The text that the commands print, if it is written in the script: by "echo", "printf" or "cat"
  // with a here-document.
  std::optional<std::string> printed(Span commands) const;
  // The redirection that gives a command its standard input; nullptr: none.
  const Redirect* input_of(const Command& command) const;
  const Function* function(std::string_view name) const;

 private:
  const Script& script_;
  std::vector<std::optional<Call>> calls_;
  std::vector<Source> own_;  // of each command by itself
};

}  // namespace parley::shell
