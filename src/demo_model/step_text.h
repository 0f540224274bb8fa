// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// The text of a request before anything is understood of it: its language, its steps.
namespace parley::demo_model {

// At most this much of a request is looked at, and so many steps of it are done.
inline constexpr std::size_t kMaxRequestBytes = 16U << 10U;
inline constexpr std::size_t kMaxSteps = 8;

enum class Language : std::uint8_t { english, chinese };

// What of a request is looked at.
std::string_view readable(std::string_view text);

Language language_of(std::string_view text);

// The parts of a request that are done one after the other; what stands in quotes, in code or in a
// JSON object is never divided. At most kMaxSteps.
std::vector<std::string> split_steps(std::string_view text);

// "a, b and c" as its parts.
std::vector<std::string> split_list(std::string_view text);

// Without the quotes around all of it, else without the blanks and the full stop at its end.
std::string unquoted(std::string_view text);

// JSON text of an object and nothing more.
bool is_json_object(std::string_view text);

}  // namespace parley::demo_model
