// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/command_flag.h"

namespace parley::core {

std::optional<CommandFlag> split_flag(std::string_view argument) {
  if (!argument.starts_with('-')) return std::nullopt;
  argument.remove_prefix(argument.starts_with("--") ? 2 : 1);
  const std::size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return CommandFlag{std::string(argument), std::nullopt};
  return CommandFlag{std::string(argument.substr(0, equals)),
                     std::string(argument.substr(equals + 1))};
}

}  // namespace parley::core
