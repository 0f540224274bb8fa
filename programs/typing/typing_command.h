// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"

namespace parley::typing {

enum class Through : std::uint8_t { automatic, x11, wtype, ydotool };

struct TypingOptions {
  std::optional<std::string> text;
  std::optional<std::uint32_t> window;
  Through through = Through::automatic;
  std::chrono::milliseconds delay{1};  // between two keys
  bool from_stdin = false;
  bool list_windows = false;
  bool help = false;
  bool version = false;
};

// Reads the flags of agentassistant-input, with one dash or two. Errors: `invalid_argument`; no
// message contains the text.
core::Result<TypingOptions> parse_typing_flags(const std::vector<std::string>& arguments);

// The whole program. Returns its exit code: 0 typed, 1 wrong usage or text, 2 typing is impossible
// here, 3 the window is gone, 130 `stopped` became true meanwhile.
int agentassistant_input_main(const std::vector<std::string>& arguments,
                              const std::atomic<bool>& stopped, std::istream& in, std::ostream& out,
                              std::ostream& err);

// Limit (agentassistant-input, ms): pause between two keys. Reached: exit code 1.
inline constexpr std::chrono::milliseconds kMaxDelay{1'000};

}  // namespace parley::typing
