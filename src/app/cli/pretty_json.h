// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace parley::app {

// JSON for people: one member per line, indented by two blanks; ends with a line break.
std::string pretty_json(const boost::json::value& value);

}  // namespace parley::app
