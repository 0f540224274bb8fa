// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "base/core/result.h"

namespace parley::conformance {

// The verb of a step. Errors: `invalid_argument` (none, or more than one).
core::Result<std::string> step_verb(const boost::json::object& step);

// Checks the keys of a step, the types of their values and the patterns in them. Errors:
// `invalid_argument` with the JSON pointer into the step in `field`.
core::Result<void> check_step(const std::string& verb, const boost::json::object& step);

}  // namespace parley::conformance
