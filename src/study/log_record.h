// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"

namespace parley::study {

// One line of a study log, read back. `payload` is valid until the next read().
struct LogRecord {
  std::string session_id;
  std::uint64_t index = 0;
  core::WallTime at;
  std::string timestamp;  // as written
  std::string direction;
  std::string type;
  simdjson::dom::object payload;
  std::string id;        // raw JSON; empty: none
  std::string reply_to;  // raw JSON
  std::string client_id;
};

// A fault of a line: a stable word and a sentence that says what was expected.
struct LineFault {
  std::string code;  // "json", "field", "type", "time", "direction", "unknown"
  std::string message;
};

// Reads lines of study logs: those of Parley and those of other hosts that keep to the protocol's
// section 6. Keeps its memory from line to line; one thread.
class RecordReader {
 public:
  // Reads a line. Every fault of it is put into `faults`; the fields that are sound are set all the
  // same. False if the line is no JSON object.
  bool read(std::string_view line, LogRecord& record, std::vector<LineFault>& faults);

 private:
  simdjson::dom::parser parser_;
};

// An object member; std::nullopt if it is not there or something else.
std::optional<simdjson::dom::object> object_member(const simdjson::dom::object& object,
                                                   std::string_view name);

}  // namespace parley::study
