// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "event/event.h"
#include "study/study_service.h"

// The forms of a record in the event store and in the log file. docs/studies.md describes the line.
namespace parley::study {

// The payload of a record's event: {"payload":{…},"id":…,"replyTo":…,"clientId":…}, without those
// that it has not. Line feeds between the tokens of what comes from the wire are taken out. A
// record that is larger than an event may be keeps {"truncated":true,"bytes":N} in place of its
// payload, and `truncated` is set.
std::string event_payload(const Record& record, bool& truncated);

// Writes the line of an event. The text of the event's payload after {"payload": is copied to the
// end of the line, so that no JSON is parsed.
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
  std::string second_text_;  // of `second_`: "2026-02-13T10:22:17."
};

// The beginning that every line of a study's log has; LogFile finds its place by it.
std::string line_head(std::string_view study_id);

}  // namespace parley::study
