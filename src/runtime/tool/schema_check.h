// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "core/result.h"

namespace parley::tool {

// The arguments of a tool call, made from what a model wrote and checked against the tool's JSON
// Schema. Models are careless about form, so what can be meant in only one way is taken so:
//
// - nothing, or null, is an empty object; a JSON string that holds the JSON is unwrapped (twice at
//   most), and so is a fenced block of Markdown;
// - where only a number or a boolean may stand, a string that is exactly one is taken as it
//   ("42", "true"), and 3.0 as the integer 3; where only a string may stand, a number or a boolean
//   is taken as its text;
// - where only an array or an object may stand, a string that holds one is unwrapped; where only
//   an array may stand, a single value that fits its items is taken as an array of one;
// - null for a member that is not required and may not be null is left out;
// - a member that the schema does not know is taken for the one whose name differs only in case,
//   "_" and "-" (replace_all for replaceAll), if that one is absent; else it is kept, or refused
//   where additionalProperties is false.
//
// Checked: type (also several), required, properties, additionalProperties, items, enum, const,
// minimum and maximum (also exclusive), lengths of strings (in characters) and arrays, anyOf,
// oneOf (the first that fits), allOf, and $ref inside the schema. Anything else in the schema, and
// what makes no sense there, restrains nothing: the tool checks it itself.
//
// Errors: `invalid_argument`; `field` is the member at fault ("edits[1].oldString"), the message
// says what was expected there.
core::Result<boost::json::object> read_arguments(std::string_view schema, std::string_view written);

// The same for arguments that are a JSON object already.
core::Result<boost::json::object> fit_arguments(std::string_view schema,
                                                boost::json::object arguments);

// Arguments and schemas that are deeper than this are refused.
inline constexpr std::size_t kMaxArgumentDepth = 64;
// And arguments that are longer than this.
inline constexpr std::size_t kMaxArgumentBytes = 8U << 20U;

}  // namespace parley::tool
