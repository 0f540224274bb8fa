// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run.h"

#include <array>

namespace parley::run {
namespace {

constexpr std::array<std::string_view, 6> kStates = {"running", "waiting",   "finished",
                                                     "failed",  "cancelled", "interrupted"};

}  // namespace

std::string_view state_name(RunState state) { return kStates.at(static_cast<std::size_t>(state)); }

std::optional<RunState> state_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kStates.size(); ++i) {
    if (kStates.at(i) == name) return static_cast<RunState>(i);
  }
  return std::nullopt;
}

}  // namespace parley::run
