// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parley::core {

// Characters that stand for themselves in every part of a URL (RFC 3986 section 2.3).
inline constexpr std::string_view kUnreserved =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~-";

// The text with every byte outside kUnreserved as %XX: one segment of a path, or one value of a
// query or of a header field (RFC 8187). "." and "..", which servers resolve, are encoded as well.
std::string percent_encoded(std::string_view part);

enum class Plus : char { plus, space };  // space: the text is part of a form or a query

// Decodes %XX; std::nullopt for a broken escape.
std::optional<std::string> percent_decoded(std::string_view text, Plus plus = Plus::plus);

}  // namespace parley::core
