// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::typing {

struct ProgramEnd {
  int status = 0;      // exit code, or 128 and the signal
  std::string output;  // stdout, at most kMaxProgramOutput bytes
};

inline constexpr std::size_t kMaxProgramOutput = 64U << 10U;

// Runs another program of this computer to its end, without a shell: `input` is its stdin, its
// stderr is that of this process. std::nullopt: it could not be started (no such program).
std::optional<ProgramEnd> run_program(std::vector<std::string> arguments, std::string_view input);

}  // namespace parley::typing
