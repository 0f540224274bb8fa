// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::agent {

// Finds the JSON object or array in what a model wrote: the whole text, else the first fenced block
// that is JSON, else the first that stands in the text. Comments and commas too many are tolerated.
std::optional<boost::json::value> find_json(std::string_view text);
std::optional<boost::json::object> find_json_object(std::string_view text);

// A member as text: a string as it is, anything else as JSON, nothing if it is absent or null.
std::string text_of(const boost::json::object& object, std::string_view name);
// A member as texts: of an array each item, a string alone as one.
std::vector<std::string> texts_of(const boost::json::object& object, std::string_view name);

// The lines of a text, without the spaces around each.
std::vector<std::string_view> lines_of(std::string_view text);

// Nesting deeper than this is not JSON for us.
inline constexpr std::size_t kMaxReadDepth = 32;

}  // namespace parley::agent
