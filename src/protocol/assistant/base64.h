// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parley::assistant {

// RFC 4648 section 4, with padding.
std::string base64_encode(std::string_view bytes);

// Reads the standard and the URL alphabet, with or without padding; white space is skipped, as
// clients wrap lines. std::nullopt if anything else stands there, or if the length cannot be.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace parley::assistant
