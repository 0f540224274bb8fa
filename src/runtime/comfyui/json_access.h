// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "base/core/json_parts.h"

// Members of objects that come from a server: a member of the wrong type counts as absent.
namespace parley::comfyui {

// Limit of the nesting of JSON. An API workflow has 4 levels; a UI workflow inside `extra_data` has
// more.
inline constexpr std::size_t kMaxJsonDepth = 64;

inline boost::json::parse_options json_options() {
  boost::json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  return options;
}

using core::array_member;
using core::bool_member;
using core::object_member;

// A number of any type; std::nullopt for other values.
inline std::optional<double> number_of(const boost::json::value& value) {
  if (const auto* number = value.if_int64()) return static_cast<double>(*number);
  if (const auto* number = value.if_uint64()) return static_cast<double>(*number);
  if (const auto* number = value.if_double()) return *number;
  return std::nullopt;
}

inline std::optional<double> number_member(const boost::json::object& from, std::string_view name) {
  const boost::json::value* found = from.if_contains(name);
  return found == nullptr ? std::nullopt : number_of(*found);
}

// A whole number, also if written as 3.0; std::nullopt if it does not fit.
inline std::optional<std::int64_t> integer_member(const boost::json::object& from,
                                                  std::string_view name) {
  const boost::json::value* found = from.if_contains(name);
  if (found == nullptr) return std::nullopt;
  if (const auto* number = found->if_int64()) return *number;
  constexpr double kEdge = 9007199254740992.0;  // 2^53
  const std::optional<double> number = number_of(*found);
  if (!number || !(*number >= -kEdge && *number <= kEdge)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

}  // namespace parley::comfyui
