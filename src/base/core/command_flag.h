// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parley::core {

// A flag of a program whose callers write one dash or two: "-port", "--port", "--port=22080".
struct CommandFlag {
  std::string name;
  std::optional<std::string> value;  // behind a '='
};

// std::nullopt: the argument is not a flag.
std::optional<CommandFlag> split_flag(std::string_view argument);

}  // namespace parley::core
