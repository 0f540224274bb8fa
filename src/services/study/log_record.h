// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"

namespace parley::study {

// One parsed line of a study log. `payload` is valid until the next read().
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

// A fault of a line: a stable code and a sentence that states the expected content.
struct LineFault {
  std::string code;  // "json", "field", "type", "time", "direction", "unknown"
  std::string message;
};

// Parses lines of study logs, those of Parley and those of other hosts in the form of the
// protocol's section 6. Reuses its buffers; use on one thread.
class RecordReader {
 public:
  // Reads a line. Appends all its faults to `faults` and still sets the valid fields. False: the
  // line is not a JSON object.
  bool read(std::string_view line, LogRecord& record, std::vector<LineFault>& faults);

 private:
  simdjson::dom::parser parser_;
};

// A member that is an object; std::nullopt: it is missing or of another type.
std::optional<simdjson::dom::object> object_member(const simdjson::dom::object& object,
                                                   std::string_view name);

}  // namespace parley::study
