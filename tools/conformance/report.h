// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/core/clock.h"
#include "tools/conformance/case_file.h"

namespace parley::conformance {

// Place and reason of a case's failure.
struct Failure {
  Location at;
  std::size_t step = 0;  // from 1
  std::string verb;
  std::string what;  // a sentence
  std::string path;  // JSON pointer into the message, if a pattern did not match
  std::string expected;
  std::string got;
};

enum class Verdict : std::uint8_t { passed, failed, not_run };

struct CaseResult {
  std::string name;
  std::string source;
  Location at;
  Verdict verdict = Verdict::passed;
  std::string reason;  // reason for not running it
  Failure failure;
  std::vector<std::string> trace;  // messages on the wires of a failed case
  core::Millis took{0};
};

struct Summary {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t not_run = 0;
};

Summary summarize(const std::vector<CaseResult>& results);

// Report for a terminal: failed cases in full, and a summary line at the end. `verbose` names
// every case.
std::string readable_report(const std::vector<CaseResult>& results, bool verbose);
// Report in JUnit's XML: one test suite per file.
std::string junit_report(const std::vector<CaseResult>& results);
std::string json_report(const std::vector<CaseResult>& results, const std::string& target);

}  // namespace parley::conformance
