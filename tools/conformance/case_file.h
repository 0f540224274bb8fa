// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace parley::conformance {

struct Location {
  std::string file;
  int line = 0;

  std::string to_string() const { return file + ":" + std::to_string(line); }
};

// One step of a case. `body` is the step as written, checked against the table of step_schema.h,
// with its variables not yet replaced.
struct Step {
  std::string verb;  // the first key of the table that `body` contains: "connect", "send", ...
  boost::json::object body;
  Location at;
};

// A protocol description for the messages of a connection.
struct ProtoFile {
  std::string path;     // absolute, or relative to the working directory; empty: none
  std::string message;  // full name of a frame's message, unless a step names another
};

struct Case {
  std::string name;
  std::string source;              // line of the contract that the case tests
  std::vector<std::string> needs;  // variables that must be given, else the case is not run
  ProtoFile proto;
  std::vector<Step> steps;  // with fragments expanded
  Location at;
};

// Reads and checks a file of cases. Anything unknown is an error, so that nothing in a file is
// silently ignored. Errors: `not_found`, `invalid_argument`; the message begins with "FILE:LINE:
// ".
core::Result<std::vector<Case>> load_case_file(const std::string& path);

// The same from text; `path` is its name and the place from which includes are resolved.
core::Result<std::vector<Case>> parse_case_file(std::string_view text, const std::string& path);

// All case files below the given files and directories (*.json, except *.fragments.json), sorted.
// Errors: `not_found`.
core::Result<std::vector<std::string>> find_case_files(const std::vector<std::string>& paths);

}  // namespace parley::conformance
