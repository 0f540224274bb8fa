// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/result.h"

namespace parley::conformance {

// Values that a match captured with {"$bind": "name"}.
using Bindings = std::map<std::string, boost::json::value, std::less<>>;

// Where a value differs from what was expected.
struct Mismatch {
  std::string path;  // JSON pointer into the value; "" is the whole
  std::string expected;
  std::string got;
};

// Compares `value` with `pattern` by the language of docs/conformance.md: an object asks for its
// members and allows others, an array asks for all of its elements in order, a scalar for itself
// (1 equals 1.0), and an object whose keys begin with '$' is a matcher. Captures go to `bound`,
// which is changed only when the whole pattern matches. The pattern must have passed
// check_pattern(); its variables must be replaced already.
std::optional<Mismatch> match(const boost::json::value& pattern, const boost::json::value& value,
                              Bindings& bound);

// Whether a pattern is well formed: only known matchers, arguments of the right type, regular
// expressions that compile. Errors: `invalid_argument` with the JSON pointer in `field`.
core::Result<void> check_pattern(const boost::json::value& pattern);

// At most `limit` bytes of the JSON text of a value, for reports.
std::string brief(const boost::json::value& value, std::size_t limit = 2'000);

}  // namespace parley::conformance
