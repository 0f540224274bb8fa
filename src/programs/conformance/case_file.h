// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace parley::conformance {

struct Location {
  std::string file;
  int line = 0;

  std::string to_string() const { return file + ":" + std::to_string(line); }
};

// One thing that a case does. `body` is the step as written, checked against the table of
// step_schema.h, with its variables still in place.
struct Step {
  std::string verb;  // the first key of the table that stands in `body`: "connect", "send", ...
  boost::json::object body;
  Location at;
};

// A protocol description that messages of a connection are written in.
struct ProtoFile {
  std::string path;     // absolute, or relative to the working directory; empty: none
  std::string message;  // full name of the message of a frame, unless a step names another
};

struct Case {
  std::string name;
  std::string source;              // the line of the contract that it comes from
  std::vector<std::string> needs;  // variables that must be given, else the case is not run
  ProtoFile proto;
  std::vector<Step> steps;  // fragments are laid out already
  Location at;
};

// Reads and checks a file of cases. Everything unknown is an error: nothing in a case file is
// silently without effect. Errors: `not_found`, `invalid_argument`; the message begins with
// "FILE:LINE: ".
core::Result<std::vector<Case>> load_case_file(const std::string& path);

// The same from text; `path` names it and is where included files are looked for.
core::Result<std::vector<Case>> parse_case_file(std::string_view text, const std::string& path);

// All files of cases below the given files and directories (*.json, but not *.fragments.json),
// sorted. Errors: `not_found`.
core::Result<std::vector<std::string>> find_case_files(const std::vector<std::string>& paths);

}  // namespace parley::conformance
