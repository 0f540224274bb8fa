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

// Shortens `text` to about `limit` bytes: its beginning, a note with the number of bytes removed,
// its end. The note alone may be longer than a very small limit.
std::string cut_middle(std::string_view text, std::size_t limit);

// Shortens a message to about `tokens` tokens: cuts its text, and long strings within the arguments
// of its calls, which stay JSON objects; media that do not fit are replaced by their description.
// True if anything changed.
bool cut_message(Message& message, std::uint64_t tokens);

// The size to which every larger entry of `sizes` must be cut so that the sum is at most `total`.
// `total` if nothing needs to be cut.
std::uint64_t level_for(const std::vector<std::uint64_t>& sizes, std::uint64_t total);

}  // namespace parley::model
