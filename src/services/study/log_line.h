// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "model/event/event.h"
#include "services/study/study_service.h"

// Conversion of records to their forms in the event store and in the log file. docs/studies.md
// describes the line.
namespace parley::study {

// The payload of a record's event: {"payload":{…},"id":…,"replyTo":…,"clientId":…}, without absent
// members. Line feeds between JSON tokens are removed. If the record is larger than the limit of an
// event, its payload becomes {"truncated":true,"bytes":N} and `truncated` is set.
std::string event_payload(const Record& record, bool& truncated);

// Writes the line of an event. Copies the text of the event's payload after {"payload": to the end
// of the line, so that no JSON is parsed.
class LineWriter {
 public:
  explicit LineWriter(std::string study_id);

  // Appends {"sessionId":…,"eventIndex":…,"timestamp":…,"direction":…,"type":…,"payload":{…},…}
  // and a line feed. eventIndex is the event's seq - 1.
  void append(std::string& out, const event::Event& event);

 private:
  void append_time(std::string& out, core::WallTime at);

  std::string head_;  // {"sessionId":"…","eventIndex":
  std::int64_t second_ = INT64_MIN;
  std::string second_text_;  // text of `second_`: "2026-02-13T10:22:17."
};

// The first part of every line of a study's log, by which LogFile recognises the lines.
std::string line_head(std::string_view study_id);

}  // namespace parley::study
