// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/message.h"

namespace parley::model {

// At most about `limit` bytes of `text`: its beginning, a note of how much is gone, its end. The
// note alone may be longer than a very small limit.
std::string cut_middle(std::string_view text, std::size_t limit);

// Makes a message have at most about `tokens` tokens: its text is cut; the long strings within the
// arguments of its calls too, so that they stay JSON objects; media that do not fit are named.
// True if anything was changed.
bool cut_message(Message& message, std::uint64_t tokens);

// The largest size to which all of `sizes` that are larger must be cut so that their sum is at most
// `total`. `total` if nothing need be cut.
std::uint64_t level_for(const std::vector<std::uint64_t>& sizes, std::uint64_t total);

}  // namespace parley::model
