// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/verify.h"

#include <optional>
#include <utility>

#include "base/core/result.h"
#include "services/study/log_record.h"
#include "services/study/opened_record.h"

namespace parley::study {

using core::Result;

namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }

class Verifier {
 public:
  explicit Verifier(const VerifyInput& input) : input_(input) {}

  Result<VerifyReport> run() {
    while (true) {
      std::string_view line;
      PARLEY_TRY(const bool got, input_.log.next(line));
      if (!got) break;
      ++report_.records;
      if (!input_.log.complete()) {
        find("torn", "The last line has no line feed: it was not written completely.");
      }
      check_line(line);
      PARLEY_TRY_VOID(compare(line));
    }
    PARLEY_TRY_VOID(check_end());
    return std::move(report_);
  }

 private:
  void find(std::string code, std::string message) {
    find_at(report_.records, std::move(code), std::move(message));
  }
  void find_at(std::uint64_t line, std::string code, std::string message) {
    if (report_.findings.size() == kMaxFindings) {
      report_.more = true;
      return;
    }
    report_.findings.push_back({line, std::move(code), std::move(message)});
  }

  void check_line(std::string_view line) {
    std::vector<LineFault> faults;
    LogRecord record;
    const bool is_object = reader_.read(line, record, faults);
    bool has_index = is_object;
    for (LineFault& fault : faults) {
      has_index = has_index && fault.message.find("\"eventIndex\"") == std::string::npos;
      find(std::move(fault.code), std::move(fault.message));
    }
    // An unreadable line counts as one record.
    if (has_index) {
      check_index(record.index);
    } else {
      ++next_index_;
    }
    if (!is_object) return;
    check_session(record.session_id);
    check_time(record);
    check_place(record);
  }

  void check_index(std::uint64_t index) {
    if (index == next_index_) {
      ++next_index_;
    } else if (index > next_index_) {
      find("gap", "eventIndex " + number(next_index_) + " was expected, " + number(index) +
                      " was found: " + number(index - next_index_) + " records are missing.");
      next_index_ = index + 1;
    } else {
      find("duplicate", "eventIndex " + number(next_index_) + " was expected, " + number(index) +
                            " was found a second time.");
      // If the indexes start again, the check continues from the new index.
      next_index_ = index + 1;
    }
  }

  void check_session(const std::string& session) {
    if (session.empty()) return;
    if (report_.study.empty()) {
      report_.study = session;
      own_ = parse_study_id(session).has_value();
      if (input_.study != nullptr && session != input_.study->id) {
        find("session", "sessionId must be \"" + input_.study->id + "\", the study of this log.");
      }
    } else if (session != report_.study) {
      find("session", "sessionId must be \"" + report_.study + "\" as in the earlier lines.");
    }
  }

  void check_time(const LogRecord& record) {
    if (record.at == core::WallTime()) return;
    if (record.at < last_time_) {
      find("time",
           "timestamp must not be before that of an earlier line, " + last_timestamp_ + ".");
      return;
    }
    last_time_ = record.at;
    last_timestamp_ = record.timestamp;
  }

  void check_place(const LogRecord& record) {
    if (!own_) return;
    if (report_.ended) {
      find("closed", "study.closed must be the last record.");
    }
    const bool opened = record.type == kOpenedType;
    if (report_.records == 1 && !opened) {
      find("opened", "The first record must be study.opened.");
    } else if (report_.records > 1 && opened) {
      find("opened", "study.opened is allowed only as the first record.");
    }
    report_.ended = record.type == kClosedType;
    if (!report_.ended) return;
    std::uint64_t said = 0;
    if (record.payload["records"].get_uint64().get(said) == simdjson::SUCCESS &&
        said != record.index + 1) {
      find("closed", "study.closed states " + number(said) + " records; " +
                         number(record.index + 1) + " were found.");
    }
  }

  // Compares a line with the line of the same index in the event store. A line that retention has
  // deleted there is skipped.
  Result<void> compare(std::string_view line) {
    if (input_.stored == nullptr) return {};
    report_.compared = true;
    // In an open study the record may have been stored after the previous line was compared.
    if (!stored_) {
      Result<void> fetched = next_stored();
      if (!fetched) return fetched;
    }
    // Skips records that are missing from the log, which check_index() has reported as a gap.
    while (stored_ && stored_index_ + 1 < next_index_) {
      Result<void> next = next_stored();
      if (!next) return next;
    }
    if (!stored_ || stored_index_ >= next_index_) {
      if (!stored_) find("store", "The event store has no such record.");
      return {};
    }
    if (line != *stored_) find("store", "The line differs from the record in the event store.");
    return next_stored();
  }

  Result<void> next_stored() {
    std::string_view line;
    PARLEY_TRY(const bool got, input_.stored->next(line));
    stored_.reset();
    if (!got) return {};
    stored_ = std::string(line);
    std::vector<LineFault> faults;
    LogRecord record;
    stored_reader_.read(line, record, faults);
    stored_index_ = record.index;
    return {};
  }

  Result<void> check_end() {
    if (report_.records == 0) find_at(0, "empty", "The log has no records.");
    const bool should_end = input_.study != nullptr && input_.study->state == StudyState::ended;
    if (should_end && !report_.ended) {
      find_at(0, "closed", "The study has ended: the last record must be study.closed.");
    }
    if (should_end && input_.study->record_count != next_index_) {
      find_at(0, "count",
              number(input_.study->record_count) + " records were expected, " +
                  number(next_index_) + " were found.");
    }
    if (input_.stored == nullptr || !should_end) return {};
    std::uint64_t missing = 0;
    while (stored_) {
      ++missing;
      Result<void> next = next_stored();
      if (!next) return next;
    }
    if (missing > 0) {
      find_at(0, "store",
              "The event store has " + number(missing) + " records that the log lacks.");
    }
    return {};
  }

  const VerifyInput& input_;
  VerifyReport report_;
  RecordReader reader_;
  RecordReader stored_reader_;
  bool own_ = false;
  std::uint64_t next_index_ = 0;
  core::WallTime last_time_;
  std::string last_timestamp_;
  std::optional<std::string> stored_;  // the next line in the store
  std::uint64_t stored_index_ = 0;
};

}  // namespace

Result<VerifyReport> verify(const VerifyInput& input) { return Verifier(input).run(); }

void write_report(core::JsonWriter& json, const VerifyReport& report) {
  json.begin_object().key("study").string(report.study);
  json.key("records").number(report.records).key("ended").boolean(report.ended);
  json.key("compared").boolean(report.compared).key("sound").boolean(report.sound());
  json.key("findings").begin_array();
  for (const Finding& finding : report.findings) {
    json.begin_object().key("line").number(finding.line).key("code").string(finding.code);
    json.key("message").string(finding.message).end_object();
  }
  json.end_array().key("more").boolean(report.more).end_object();
}

}  // namespace parley::study
