// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace parley::tool {

// Parses the arguments of a tool call from a model's text and checks them against the tool's JSON
// Schema. Models are careless about form, so input with only one possible meaning is converted:
//
// - an empty text, or null, is an empty object; a JSON string that contains the JSON is unwrapped
//   (twice at most), and so is a fenced block of Markdown;
// - where only a number or a boolean is allowed, a string that is exactly one is converted ("42",
//   "true"), and 3.0 becomes the integer 3; where only a string is allowed, a number or a boolean
//   becomes its text;
// - where only an array or an object is allowed, a string that contains one is unwrapped; where
//   only an array is allowed, a single value that fits its items becomes an array of one;
// - null for a member that is neither required nor nullable is removed;
// - a member that the schema does not know is renamed to the one whose name differs only in case,
//   "_" and "-" (replace_all for replaceAll), if that one is absent; else it is kept, or refused if
//   additionalProperties is false.
//
// An object that has a name twice is refused, also inside such a string: a person who is asked sees
// both members, and only one would count.
//
// Checked: type (also several), required, properties, additionalProperties, items, enum, const,
// minimum and maximum (also exclusive), lengths of strings (in characters) and arrays, anyOf, oneOf
// (the first that fits), allOf, and $ref inside the schema. Other keywords, and keywords with
// invalid values, restrict nothing: the tool checks these itself.
//
// Errors: `invalid_argument`; `field` is the member at fault ("edits[1].oldString"), the message
// states the expected value.
core::Result<boost::json::object> read_arguments(std::string_view schema, std::string_view written);

// The same for arguments that are already a JSON object.
core::Result<boost::json::object> fit_arguments(std::string_view schema,
                                                boost::json::object arguments);

// Limit of the nesting of arguments and schemas; deeper ones are refused.
// Limit (Tools): nesting of arguments. Reached: refused, member named.
inline constexpr std::size_t kMaxArgumentDepth = 64;
// Limit of the arguments in bytes; longer ones are refused.
// Limit (Tools): arguments of a call. Reached: refused, member named.
inline constexpr std::size_t kMaxArgumentBytes = 8U << 20U;

}  // namespace parley::tool
