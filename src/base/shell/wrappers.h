// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "base/shell/call.h"

// Programs that start another one with their arguments: "sudo", "env", "xargs".
namespace parley::shell {

inline constexpr int kMaxWrappers = 8;

// The program behind all wrappers. std::nullopt: the command has no name.
std::optional<Call> call_of(const Command& command, std::span<const Word> words);

}  // namespace parley::shell
