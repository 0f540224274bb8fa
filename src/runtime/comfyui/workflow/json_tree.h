// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/json_parts.h"
#include "base/core/result.h"

// The tree for editing a workflow. Internal to this folder: its public headers do not expose the
// JSON library.
namespace parley::comfyui {

namespace json = boost::json;

struct TreeLimits {
  std::size_t bytes = 0;
  std::size_t depth = 0;   // levels of arrays and objects
  std::size_t values = 0;  // of any type; bounds the memory of the tree
};

// Parses one JSON value (RFC 8259, UTF-8). Numbers are exact: 64-bit integers, and the nearest
// double for others. Errors name `what` ("The workflow"), the position and the expected value:
// `resource_exhausted` for a limit, `invalid_argument` for text that is not JSON.
core::Result<json::value> parse_tree(std::string_view text, const TreeLimits& limits,
                                     std::string_view what);

// Appends the value in the shortest form that parse_tree() reads back as an equal value: a double
// keeps its point. Members keep their order.
void append_tree(std::string& out, const json::value& value);
void append_tree(std::string& out, const json::object& value);
std::string tree_text(const json::value& value);

// Equality as in JSON.parse: 1 and 1.0 are the same number.
bool same_value(const json::value& a, const json::value& b);
bool same_value(const json::object& a, const json::object& b);

// A member of this type, or nullptr.
using core::array_member;
using core::object_member;
json::array* array_member(json::object& from, std::string_view name);

// The integer in a member or value: 3 and 3.0 are integers, 3.5 is not.
std::optional<std::int64_t> integer_of(const json::value* value);

// An id as text: an integer or a non-empty string. std::nullopt for other values.
std::optional<std::string> id_text(const json::value* value);

inline std::string_view text_view(const json::string& text) { return {text.data(), text.size()}; }

}  // namespace parley::comfyui
