// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::agent {

// Finds the JSON object or array in a model's text: the whole text, else the first fenced block
// that is JSON, else the first JSON within the text. Comments and trailing commas are tolerated.
std::optional<boost::json::value> find_json(std::string_view text);
std::optional<boost::json::object> find_json_object(std::string_view text);

// A member as text: a string as it is, any other value as JSON, empty if absent or null.
std::string text_of(const boost::json::object& object, std::string_view name);
// A member as texts: each item of an array, or a single string as a list of one.
std::vector<std::string> texts_of(const boost::json::object& object, std::string_view name);

// The lines of a text, each without surrounding spaces.
std::vector<std::string_view> lines_of(std::string_view text);

// Limit of the nesting; deeper text is not read as JSON.
inline constexpr std::size_t kMaxReadDepth = 32;

}  // namespace parley::agent
