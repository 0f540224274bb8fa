// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parley::core {

// Standard base64 with padding (RFC 4648 section 4).
std::string base64_encode(std::string_view bytes);
// The URL-safe alphabet without padding (section 5).
std::string base64url_encode(std::string_view bytes);

// Reads standard and URL-safe base64, with or without padding, lines wrapped or not; std::nullopt
// on anything else.
std::optional<std::string> base64_decode(std::string_view text);

// True if text is standard base64 with its padding and nothing else, as strict readers require.
bool is_base64(std::string_view text);

}  // namespace parley::core
