// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json_writer.h"
#include "core/result.h"
#include "study/log_source.h"
#include "study/study.h"

namespace parley::study {

// One fault of a log. The codes are listed in docs/studies.md.
struct Finding {
  std::uint64_t line = 0;  // from 1; 0: of the whole log
  std::string code;
  std::string message;  // what was expected, and what is there
};

struct VerifyReport {
  std::string study;          // the log's sessionId
  std::uint64_t records = 0;  // lines
  bool ended = false;         // the last record is study.closed
  bool compared = false;      // with the event store
  std::vector<Finding> findings;
  bool more = false;  // more faults than kMaxFindings

  bool sound() const { return findings.empty(); }
};

inline constexpr std::size_t kMaxFindings = 1'000;

struct VerifyInput {
  LogSource& log;
  // The lines that the event store has of the study; null: they are not compared.
  LogSource* stored = nullptr;
  // The study as the list has it; null: the log stands alone.
  const Study* study = nullptr;
};

// Checks a whole log: each line one JSON object with the required fields, numbers from 0 without a
// gap or a repetition, one sessionId, times that never go back, known directions. A log of Parley
// (by its sessionId) must also begin with study.opened, end with study.closed if the study has
// ended, and agree with the event store. Errors: the log cannot be read.
core::Result<VerifyReport> verify(const VerifyInput& input);

// {"study":…,"records":…,"ended":…,"compared":…,"sound":…,"findings":[{"line":…,"code":…,
// "message":…}],"more":…}
void write_report(core::JsonWriter& json, const VerifyReport& report);

}  // namespace parley::study
