// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "services/study/log_source.h"
#include "services/study/study.h"

namespace parley::study {

// One fault of a log. The codes are listed in docs/studies.md.
struct Finding {
  std::uint64_t line = 0;  // from 1; 0: the finding is about the whole log
  std::string code;
  std::string message;  // the expected and the actual content
};

struct VerifyReport {
  std::string study;          // the log's sessionId
  std::uint64_t records = 0;  // lines
  bool ended = false;         // the last record is study.closed
  bool compared = false;      // the log was compared with the event store
  std::vector<Finding> findings;
  bool more = false;  // there are more faults than kMaxFindings

  bool sound() const { return findings.empty(); }
};

// Limit (Studies): faults that a check names. Reached: `more` is set.
inline constexpr std::size_t kMaxFindings = 1'000;

struct VerifyInput {
  LogSource& log;
  // The study's lines in the event store; null: the log is not compared with them.
  LogSource* stored = nullptr;
  // The study's row in the list; null: the log is checked without it.
  const Study* study = nullptr;
};

// Checks a whole log: each line must be one JSON object with the required fields and a known
// direction; indexes must count from 0 without a gap or a repetition; all lines must have the same
// sessionId; times must not decrease. A log of Parley (recognised by its sessionId) must also begin
// with study.opened and end with study.closed if the study has ended. Lines of the event store, if
// given, must be the same. Errors: the log cannot be read.
core::Result<VerifyReport> verify(const VerifyInput& input);

// {"study":…,"records":…,"ended":…,"compared":…,"sound":…,"findings":[{"line":…,"code":…,
// "message":…}],"more":…}
void write_report(core::JsonWriter& json, const VerifyReport& report);

}  // namespace parley::study
