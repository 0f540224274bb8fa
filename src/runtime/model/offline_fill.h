// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "runtime/model/offline_request.h"
#include "runtime/model/offline_tool.h"

namespace parley::model::offline {

// The arguments that a step gives a tool.
struct Filled {
  boost::json::object arguments;
  std::vector<std::string> missing;  // required parameters: "agents[].task"
  bool took_one_path = false;        // a path was put in where the step has several
};

// Fills a tool's schema (JSON Schema of an object: types, enum, const, default, $ref to its own
// definitions, anyOf, oneOf) from a step. `path_index`: which of the step's paths this call is for.
Filled fill(const Step& step, const boost::json::object& schema, const Before& before,
            std::size_t path_index);

// An object from JSON text; empty if it is none.
boost::json::object parsed_object(std::string_view text);

}  // namespace parley::model::offline
