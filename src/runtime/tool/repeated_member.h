// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace parley::tool {

// The first name that an object of this JSON text has twice, at any depth; std::nullopt: none, or
// the text is not JSON, or nested more than `max_depth` deep. Names are compared without their
// escapes. A reader that keeps one of two members would run something else than a person was shown.
std::optional<std::string> repeated_member(std::string_view text, std::size_t max_depth);

}  // namespace parley::tool
