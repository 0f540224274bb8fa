// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/core/result.h"

namespace parley::conformance {

// Values captured with {"$bind": "name"}.
using Bindings = std::map<std::string, boost::json::value, std::less<>>;

// The first difference between a value and its pattern.
struct Mismatch {
  std::string path;  // JSON pointer into the value; "" is the whole
  std::string expected;
  std::string got;
};

// Compares `value` with `pattern` in the language of docs/conformance.md: an object requires its
// members and allows others, an array requires all of its elements in order, a scalar equals
// itself (1 equals 1.0), and an object whose keys begin with '$' is a matcher. Captures are stored
// in `bound`, which changes only if the whole pattern matches. The pattern must have passed
// check_pattern(), and its variables must have been replaced.
std::optional<Mismatch> match(const boost::json::value& pattern, const boost::json::value& value,
                              Bindings& bound);

// Checks that a pattern is well formed: only known matchers, arguments of the right type, regular
// expressions that compile. Errors: `invalid_argument` with the JSON pointer in `field`.
core::Result<void> check_pattern(const boost::json::value& pattern);

// The JSON text of a value for reports, cut to `limit` bytes.
std::string brief(const boost::json::value& value, std::size_t limit = 2'000);

}  // namespace parley::conformance
