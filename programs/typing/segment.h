// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace parley::typing {

enum class Key : std::uint8_t { none, enter, tab };

// A part of the text to type: characters without control codes, or one key.
struct Segment {
  std::string text;  // UTF-8; empty: the key
  Key key = Key::none;

  bool operator==(const Segment&) const = default;
};

// Limit (agentassistant-input): a text. Reached: exit code 1.
inline constexpr std::size_t kMaxTypedBytes = 1U << 20U;

// Splits a text at its line ends: LF is the Return key, TAB the Tab key, CR is skipped (contract
// section 4). Errors: `invalid_argument` (not UTF-8, another control character, an empty text,
// more than kMaxTypedBytes). No message contains the text.
core::Result<std::vector<Segment>> segments_of(std::string_view text);

}  // namespace parley::typing
